// Between numpy's arrays and the core's rows and tables; nothing crosses this border unchecked.
#pragma once

#include "array.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <stdexcept>
#include <string>

namespace askless {

namespace nb = nanobind;

// What Python hands over: one after the other in memory, of just this kind.
template <class T, int AXES>
using Given = nb::ndarray<T, nb::ndim<AXES>, nb::c_contig, nb::device::cpu>;

template <class T> Row<T> row_of(const Given<T, 1>& x) { return {x.data(), static_cast<Whole>(x.shape(0))}; }
template <class T> Table<T> table_of(const Given<T, 2>& x) {
    return {x.data(), static_cast<Whole>(x.shape(0)), static_cast<Whole>(x.shape(1))};
}

constexpr const char* OUT_OF_ORDER = "the arrays of the arms contradict each other";

inline void must(bool fine, const char* what) {
    if (!fine) throw std::invalid_argument(what);
}
template <class T> Row<T> row_of(const Given<T, 1>& x, Whole size) {
    must(static_cast<Whole>(x.shape(0)) == size, "an array has another length than the policy's");
    return row_of(x);
}
template <class T> Table<T> table_of(const Given<T, 2>& x, Whole rows, Whole columns) {
    const Table<T> table = table_of(x);
    must((rows < 0 || table.rows() == rows) && table.columns() == columns,
         "an array has another shape than the policy's");
    return table;
}

// The core's numbers as an array of numpy, in the same memory, which keeps their owner alive.
template <class T> nb::ndarray<nb::numpy, T> view_of(const Store<T>& store, nb::handle owner) {
    std::size_t shape[3];
    for (int axis = 0; axis < store.axes(); ++axis)
        shape[axis] = static_cast<std::size_t>(store.length(axis));
    return {store.data(), static_cast<std::size_t>(store.axes()), shape, owner};
}
template <class T> nb::ndarray<nb::numpy, T> view_of(Table<T> table, nb::handle owner) {
    std::size_t shape[2] = {static_cast<std::size_t>(table.rows()),
                            static_cast<std::size_t>(table.columns())};
    return {table.begin(), 2, shape, owner};
}

void bind_survey(nb::module_& m);
void bind_arms(nb::module_& m);
void bind_shorts(nb::module_& m);
void bind_loops(nb::module_& m);
void bind_steps(nb::module_& m);
void bind_inside(nb::module_& m);

} // namespace askless
