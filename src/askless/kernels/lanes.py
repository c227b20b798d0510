"""Eight numbers at a time: the few vector steps out of which the hot loops are built.

Compilers vectorise short loops badly (rows of a triangle are short) and reorder sums as they like.
Here both are written down: a kernel's sums have one order, the same in every loop that uses it and
on every processor. Arrays are padded with zeros to whole pairs of lanes (`padded`).
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import models, register_model

from askless.kernels.machine import step

__all__ = [
    "WIDTH",
    "fetch",
    "fma",
    "larger",
    "load",
    "magnitude",
    "padded",
    "product",
    "quotient",
    "spread",
    "spread_from",
    "store",
    "store_totals",
    "total",
    "totals",
    "with_sign",
]

WIDTH = 8
VECTOR = ir.VectorType(ir.DoubleType(), WIDTH)
INDEX = ir.IntType(32)


def padded(length: int) -> int:
    """Round a length up to whole pairs of lanes."""
    return (-(-length // (2 * WIDTH)) * 2 + 1) * WIDTH


class LanesType(types.Type):
    """Numba's name for eight doubles in one register."""

    def __init__(self) -> None:
        super().__init__(name="Lanes")


LANES = LanesType()


@register_model(LanesType)
class LanesModel(models.PrimitiveModel):
    """A vector of LLVM."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, VECTOR)


def _address(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    array = context.make_array(signature.args[0])(context, builder, args[0])
    at = context.cast(builder, args[1], signature.args[1], types.intp)
    return builder.bitcast(builder.gep(array.data, [at]), VECTOR.as_pointer())


def _pick(builder: Any, vector: Any, which: list[int], other: Any = None) -> Any:
    """Pick lanes; those of `other` (zeros if left out) are numbered after the vector's own."""
    mask = ir.Constant(ir.VectorType(INDEX, len(which)), which)
    return builder.shuffle_vector(vector, other or ir.Constant(vector.type, None), mask)


def _intrinsic(builder: Any, name: str, args: Any) -> Any:
    """Call one of LLVM's functions of vectors."""
    shape = ir.FunctionType(VECTOR, [VECTOR] * len(args))
    full = f"llvm.{name}.v{WIDTH}f64"
    return builder.call(cgutils.get_or_insert_function(builder.module, shape, full), args)


@step
def load(_: Any, array: Any, at: Any) -> Any:
    """Return eight numbers of a contiguous array, from index `at` on."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(_address(context, builder, signature, args), align=8)

    return LANES(array, at), code


@step
def fetch(_: Any, array: Any, at: Any) -> Any:
    """Bring the numbers around index `at` nearer, so that nobody waits for them later."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = builder.bitcast(
            _address(context, builder, signature, args), ir.IntType(8).as_pointer()
        )
        shape = ir.FunctionType(ir.VoidType(), [place.type, INDEX, INDEX, INDEX])
        hint = cgutils.get_or_insert_function(builder.module, shape, "llvm.prefetch.p0i8")
        builder.call(hint, [place, *(ir.Constant(INDEX, i) for i in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(array, at), code


@step
def store(_: Any, array: Any, at: Any, values: Any) -> Any:
    """Write eight numbers into a contiguous array, from index `at` on."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[2], _address(context, builder, signature, args), align=8)
        return context.get_dummy_value()

    return types.void(array, at, values), code


@step
def spread(_: Any, value: Any) -> Any:
    """Return one number in every lane."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        number = context.cast(builder, args[0], signature.args[0], types.float64)
        empty = ir.Constant(VECTOR, ir.Undefined)
        first = builder.insert_element(empty, number, ir.Constant(INDEX, 0))
        return _pick(builder, first, [0] * WIDTH)

    return LANES(value), code


@step
def spread_from(_: Any, array: Any, at: Any) -> Any:
    """Return one number of a contiguous array, at an index that is not negative, in every lane."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _address(context, builder, signature, args)
        number = builder.load(builder.bitcast(place, ir.DoubleType().as_pointer()))
        first = builder.insert_element(
            ir.Constant(VECTOR, ir.Undefined), number, ir.Constant(INDEX, 0)
        )
        return _pick(builder, first, [0] * WIDTH)

    return LANES(array, at), code


@step
def fma(_: Any, a: Any, b: Any, c: Any) -> Any:
    """Return a * b + c, rounded once."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return _intrinsic(builder, "fma", args)

    return LANES(a, b, c), code


@step
def larger(_: Any, a: Any, b: Any) -> Any:
    """Return the larger of a and b, lane by lane."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return _intrinsic(builder, "maxnum", args)

    return LANES(a, b), code


@step
def magnitude(_: Any, a: Any) -> Any:
    """Return |a|."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return _intrinsic(builder, "fabs", args)

    return LANES(a), code


@step
def with_sign(_: Any, a: Any, b: Any) -> Any:
    """Return |a| with the sign of b."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return _intrinsic(builder, "copysign", args)

    return LANES(a, b), code


@step
def product(_: Any, a: Any, b: Any) -> Any:
    """Return a * b."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return builder.fmul(*args)

    return LANES(a, b), code


@step
def quotient(_: Any, a: Any, b: Any) -> Any:
    """Return a / b."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        return builder.fdiv(*args)

    return LANES(a, b), code


@step
def total(_: Any, a: Any) -> Any:
    """Return the sum of the lanes: halves are added until one number is left."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        (vector,) = args
        width = WIDTH
        while width > 1:
            width //= 2
            low = _pick(builder, vector, list(range(width)))
            high = _pick(builder, vector, list(range(width, 2 * width)))
            vector = builder.fadd(low, high)
        return builder.extract_element(vector, ir.Constant(INDEX, 0))

    return types.float64(a), code


@step
def totals(_: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any) -> Any:
    """Return the sums of the lanes of eight vectors, a vector a lane.

    Each sum is ((0 + 1) + (2 + 3)) + ((4 + 5) + (6 + 7)).
    """

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        vectors = list(args)
        for width in (1, 2, 4):  # neighbours of so many lanes are added, of two vectors at once
            low = [i + (WIDTH - width if i & width else 0) for i in range(WIDTH)]
            high = [i + width for i in low]
            vectors = [
                builder.fadd(_pick(builder, x, low, y), _pick(builder, x, high, y))
                for x, y in zip(vectors[::2], vectors[1::2], strict=True)
            ]
        return vectors[0]

    return LANES(a, b, c, d, e, f, g, h), code


@step
def store_totals(_: Any, array: Any, at: Any, a: Any, b: Any, c: Any, d: Any) -> Any:
    """Write the sums of the lanes of four vectors into an array, from index `at` on.

    Each sum is ((0 + 4) + (1 + 5)) + ((2 + 6) + (3 + 7)).
    """

    def pairs(builder: Any, x: Any, y: Any, one: list[int], other: list[int]) -> Any:
        return builder.fadd(_pick(builder, x, one, y), _pick(builder, x, other, y))

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        a, b, c, d = (pairs(builder, x, x, [0, 1, 2, 3], [4, 5, 6, 7]) for x in args[2:])
        ab = pairs(builder, a, b, [0, 4, 2, 6], [1, 5, 3, 7])
        cd = pairs(builder, c, d, [0, 4, 2, 6], [1, 5, 3, 7])
        sums = pairs(builder, ab, cd, [0, 1, 4, 5], [2, 3, 6, 7])
        place = builder.bitcast(_address(context, builder, signature, args), sums.type.as_pointer())
        builder.store(sums, place, align=8)
        return context.get_dummy_value()

    return types.void(array, at, a, b, c, d), code
