"""Steps of kernels that write their own machine code: views and addresses that cost nothing."""

import math
from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, lower_builtin, type_callable
from numba.np.arrayobj import populate_array

__all__ = ["call_at", "floats_at", "ints_at", "part", "step"]


def step(function: Callable[..., Any]) -> Callable[..., Any]:
    """Let a function that writes machine code (numba's intrinsics) be called in kernels."""
    return cast(Callable[..., Any], intrinsic(function))


def part(buffer: Any, start: int, shape: Any) -> Any:
    """Return a view of a flat buffer, from `start` on, in a shape (a tuple)."""
    return buffer[start : start + math.prod(shape)].reshape(shape)


# numba's own reshape calls a function and divides; this one is free.
@type_callable(part)
def _type_of_part(_: Any) -> Any:
    def kind(buffer: Any, start: Any, shape: Any) -> Any:  # noqa: ARG001
        return types.Array(buffer.dtype, len(shape), "C")

    return kind


@lower_builtin(part, types.Array, types.Integer, types.BaseTuple)
def _code_of_part(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    whole = context.make_array(signature.args[0])(context, builder, args[0])
    data = builder.gep(whole.data, [context.cast(builder, args[1], signature.args[1], types.intp)])
    lengths = [
        context.cast(builder, length, kind, types.intp)
        for length, kind in zip(
            cgutils.unpack_tuple(builder, args[2]), signature.args[2], strict=True
        )
    ]
    return _built(context, builder, signature.return_type, data, lengths)


def _array_at(kind: Any) -> Any:
    @step
    def at(_: Any, address: Any, length: Any) -> Any:  # noqa: ARG001
        array = types.Array(kind, 1, "C")

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
            data = builder.inttoptr(args[0], context.get_data_type(kind).as_pointer())
            return _built(context, builder, array, data, [args[1]])

        return array(types.intp, types.intp), code

    return at


def _built(context: Any, builder: Any, array: Any, data: Any, lengths: list[Any]) -> Any:
    """Build an array of eight-byte items to which nobody counts references."""
    made = context.make_array(array)(context, builder)
    item = context.get_constant(types.intp, 8)
    strides = [item]
    for length in reversed(lengths[1:]):
        strides.insert(0, builder.mul(length, strides[0]))
    populate_array(
        made,
        data=data,
        shape=cgutils.pack_array(builder, lengths),
        strides=cgutils.pack_array(builder, strides),
        itemsize=item,
        meminfo=None,
    )
    return made._getvalue()


# Arrays at a number's address, in a kernel.
ints_at, floats_at = _array_at(types.int64), _array_at(types.float64)


@step
def call_at(_: Any, function: Any, address: Any, k: Any) -> Any:  # noqa: ARG001
    """Call the compiled function (address, k) -> int that is at an address of its own."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:  # noqa: ARG001
        whole = ir.IntType(64)
        shape = ir.FunctionType(whole, [whole, whole])
        return builder.call(builder.inttoptr(args[0], shape.as_pointer()), args[1:])

    return types.int64(types.int64, types.int64, types.int64), code
