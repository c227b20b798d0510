"""How functions that only kernels call are compiled: to be linked in, not to be run by themselves.

numba optimises a function and turns it into machine code, and then does so again in each of its
callers, and theirs. A function that Python never calls needs neither: the kernels do it all, once.
"""

from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.typed_passes import NopythonTypeInference

__all__ = ["LinkedCompiler"]


class Codegen:
    """A code generator for what is not run: it has no environment to set up."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def set_env(self, *_: Any) -> None:
        """Set up nothing."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


class LinkedLibrary(JITCodeLibrary):
    """Code that is neither optimised nor made executable."""

    @property
    def codegen(self) -> Codegen:
        """The code generator."""
        return Codegen(self._codegen)

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=False, analysis_only=True)
class ToBeLinked(FunctionPass):
    """Puts the code of a function into such a library."""

    _name = "askless_to_be_linked"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        """Choose the library before there is code."""
        state["library"] = LinkedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return False


class LinkedCompiler(CompilerBase):
    """Compiles a function that only kernels call."""

    def define_pipelines(self) -> list[Any]:
        """Return numba's own steps, with the other library."""
        steps = DefaultPassBuilder.define_nopython_pipeline(self.state)
        steps.add_pass_after(ToBeLinked, NopythonTypeInference)  # before there is code
        steps.finalize()
        return [steps]
