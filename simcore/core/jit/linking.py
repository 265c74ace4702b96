"""Compile an entry point and all that it calls as one LLVM module, once.

Numba optimises each function and generates machine code for it, then links its LLVM module into each caller, where it
is optimised and generated again: at every level of calls the whole tree below. Only an entry point's machine code is
ever run, so here the others stop at LLVM modules of their own code, which an entry point links.
"""

import llvmlite.binding as llvm
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.untyped_passes import IRProcessing


class _Library(JITCodeLibrary):
    """Leaves functions as they are, until all are together."""

    def _optimize_functions(self, ll_module):
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self):
        """Add what its callees need, who have not linked it."""
        needed = dict.fromkeys(self._linking_libraries)
        for library in self._linking_libraries:
            if isinstance(library, LinkOnlyLibrary):
                needed.update(dict.fromkeys(library._linking_libraries))
        self._linking_libraries = list(needed)
        self._link()


class LinkOnlyLibrary(_Library):
    """A function's LLVM module as numba made it, for entry points to link."""

    def _link(self):
        """Its entry point does."""
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name):
        """Null, as of a function that has no machine code."""
        return 0

    @property
    def codegen(self):
        """What numba tells the place of a function's environment; there is none without machine code."""
        return self

    def set_env(self, env_name, env):
        """Nothing to set."""


class OutOfLineLibrary(LinkOnlyLibrary):
    """The same, of a function that entry points call: LLVM does not inline it."""

    attributes: tuple[str, ...] = ("noinline",)

    def _optimize_functions(self, ll_module):
        super()._optimize_functions(ll_module)
        for function in ll_module.functions:
            if not function.is_declaration:
                for attribute in self.attributes:
                    function.add_function_attribute(attribute)


class SeldomLibrary(OutOfLineLibrary):
    """The same, of a function that is hardly ever called: LLVM puts the code that leads there out of the way."""

    attributes = ("noinline", "cold")


class EntryLibrary(_Library):
    """An entry point's LLVM module with all that it calls."""

    def _link(self):
        """Link all that it reaches."""
        super(_Library, self).finalize()

    def _optimize_final_module(self):
        """Optimise once, and leave out what was inlined everywhere: nobody else calls it."""
        for function in self._final_module.functions:
            if function.linkage == llvm.Linkage.linkonce_odr:
                function.linkage = llvm.Linkage.internal
        builder = llvm.create_pass_builder(self._codegen._tm, _tuning())
        builder.getModulePassManager().run(self._final_module, builder)


def _tuning():
    """How LLVM optimises: loops over lanes become vectors, for which they must not be unrolled before."""
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = True
    tuning.loop_unrolling = False
    return tuning


class _ChooseLibrary(FunctionPass):
    """Give the function its library, before numba chooses its own."""

    library = JITCodeLibrary

    def __init__(self):
        FunctionPass.__init__(self)

    def run_pass(self, state):
        state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
        return False


@register_pass(mutates_CFG=False, analysis_only=True)
class _LinkOnly(_ChooseLibrary):
    _name = "simcore_link_only"
    library = LinkOnlyLibrary


@register_pass(mutates_CFG=False, analysis_only=True)
class _OutOfLine(_ChooseLibrary):
    _name = "simcore_out_of_line"
    library = OutOfLineLibrary


@register_pass(mutates_CFG=False, analysis_only=True)
class _Seldom(_ChooseLibrary):
    _name = "simcore_seldom"
    library = SeldomLibrary


@register_pass(mutates_CFG=False, analysis_only=True)
class _Entry(_ChooseLibrary):
    _name = "simcore_entry"
    library = EntryLibrary

    def run_pass(self, state):
        super().run_pass(state)
        state.library.enable_object_caching()
        return False


def _passes_with(state, choice):
    passes = DefaultPassBuilder.define_nopython_pipeline(state)
    passes.add_pass_after(choice, IRProcessing)
    passes.finalize()
    return [passes]


class LinkOnlyCompiler(CompilerBase):
    """Numba's passes, without machine code."""

    def define_pipelines(self):
        """The passes."""
        return _passes_with(self.state, _LinkOnly)


class OutOfLineCompiler(CompilerBase):
    """The same, for a function that is not inlined."""

    def define_pipelines(self):
        """The passes."""
        return _passes_with(self.state, _OutOfLine)


class SeldomCompiler(CompilerBase):
    """The same, for a function that is hardly ever called."""

    def define_pipelines(self):
        """The passes."""
        return _passes_with(self.state, _Seldom)


class EntryCompiler(CompilerBase):
    """Numba's passes, and one optimisation of everything."""

    def define_pipelines(self):
        """The passes."""
        return _passes_with(self.state, _Entry)
