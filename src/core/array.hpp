// Rows and tables of numbers, and who owns them. Memory is aligned, and zero from the start.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>

namespace askless {

using Real = double;
using Whole = std::int64_t;

// Debug builds check every index.
#ifdef ASKLESS_CHECKED
inline void check(bool fine) {
    if (!fine) {
        std::fputs("askless: an index is out of bounds\n", stderr);
        std::abort();
    }
}
#else
inline void check(bool) {}
#endif

// Numbers one after the other, which somebody else owns.
template <class T> class Row {
  public:
    Row() = default;
    Row(T* first, Whole size) : first_(first), size_(size) {}
    operator Row<const T>() const { return {first_, size_}; }

    T& operator[](Whole i) const {
        check(0 <= i && i < size_);
        return first_[i];
    }
    Whole size() const { return size_; }
    T* begin() const { return first_; }
    T* end() const { return first_ + size_; }
    void fill(T value) const { std::fill(begin(), end(), value); }

    // So many numbers from one on, or all of them.
    Row part(Whole first, Whole count) const {
        check(0 <= first && 0 <= count && first + count <= size_);
        return {first_ + first, count};
    }
    Row from(Whole first) const { return part(first, size_ - first); }

  private:
    T* first_ = nullptr;
    Whole size_ = 0;
};

// Rows one below the other.
template <class T> class Table {
  public:
    Table() = default;
    Table(T* first, Whole rows, Whole columns) : first_(first), rows_(rows), columns_(columns) {}
    operator Table<const T>() const { return {first_, rows_, columns_}; }

    Row<T> operator[](Whole i) const {
        check(0 <= i && i < rows_);
        return {first_ + i * columns_, columns_};
    }
    T& operator()(Whole i, Whole j) const {
        check(0 <= i && i < rows_ && 0 <= j && j < columns_);
        return first_[i * columns_ + j];
    }
    Whole rows() const { return rows_; }
    Whole columns() const { return columns_; }
    T* begin() const { return first_; }
    T* end() const { return first_ + rows_ * columns_; }
    void fill(T value) const { std::fill(begin(), end(), value); }

    // The rows from one up to another.
    Table part(Whole first, Whole last) const {
        check(0 <= first && first <= last && last <= rows_);
        return {first_ + first * columns_, last - first, columns_};
    }

  private:
    T* first_ = nullptr;
    Whole rows_ = 0, columns_ = 0;
};

using Reals = Row<Real>;
using Wholes = Row<Whole>;
using RealTable = Table<Real>;
using WholeTable = Table<Whole>;

// Memory on whole cache lines, where loads of whole lanes are fastest.
template <class T> struct Aligned {
    using value_type = T;
    static constexpr std::align_val_t LINE{64};

    Aligned() = default;
    template <class U> Aligned(const Aligned<U>&) {}
    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), LINE)); }
    void deallocate(T* p, std::size_t) { ::operator delete(p, LINE); }
    bool operator==(const Aligned&) const { return true; }
};

// Numbers in a shape of up to three lengths, which it owns; or the same memory as another one.
template <class T> class Store {
  public:
    explicit Store(Whole a = 0) : Store({a, 1, 1}, 1) {}
    Store(Whole a, Whole b) : Store({a, b, 1}, 2) {}
    Store(Whole a, Whole b, Whole c) : Store({a, b, c}, 3) {}
    Store(Store&&) = default;
    Store(const Store&) = delete;
    Store& operator=(Store&&) = default;
    Store& operator=(const Store&) = delete;

    void be_the_same_as(const Store& other) {
        own_.clear();
        shape_ = other.shape_, axes_ = other.axes_, first_ = other.first_;
    }
    bool owns() const { return !own_.empty(); }
    // Take over the numbers of another one, as the first of these.
    void take(const Store& other) {
        check(other.size() <= size());
        std::copy(other.first_, other.first_ + other.size(), first_);
    }

    int axes() const { return axes_; }
    Whole length(int axis) const { return shape_[static_cast<std::size_t>(axis)]; }
    Whole size() const { return shape_[0] * shape_[1] * shape_[2]; }
    T* data() const { return first_; }
    Row<T> all() const { return {first_, size()}; }
    T& number(Whole i) const { return all()[i]; }
    Row<T> row(Whole i) const { return {first_ + i * shape_[1], shape_[1]}; }
    Table<T> table(Whole i) const { return {first_ + i * shape_[1] * shape_[2], shape_[1], shape_[2]}; }
    Table<T> table() const { return {first_, shape_[0], shape_[1]}; }

  private:
    Store(std::array<Whole, 3> shape, int axes)
        : shape_(shape), axes_(axes), own_(size_of(shape)), first_(own_.data()) {}

    // How many numbers that is; not more than a terabyte has room for, which is damage.
    static std::size_t size_of(const std::array<Whole, 3>& shape) {
        constexpr Whole MOST = (Whole(1) << 40) / static_cast<Whole>(sizeof(T));
        Whole size = 1;
        for (Whole length : shape)
            if (length < 0 || __builtin_mul_overflow(size, length, &size) || size > MOST)
                throw std::bad_alloc();
        return static_cast<std::size_t>(size);
    }

    std::array<Whole, 3> shape_;
    int axes_;
    std::vector<T, Aligned<T>> own_;
    T* first_;
};

} // namespace askless
