#include "linkers/node_forms.h"

namespace thunkvm {

IndexedVector<ProgramNode, ThunkForm> thunk_forms(const Program& program) {
  IndexedVector<ProgramNode, ThunkForm> forms(program.n_nodes, ThunkForm::Branch);
  for (const Step& step : program.steps)
    if (step.node != kNone)
      forms[step.node] =
          step.run == run_bound ? program.bound[step.operands.bound].form : ThunkForm::Kernel;
  for (const Lazy& lazy : program.lazies)
    if (lazy.node != kNone) forms[lazy.node] = program.bound[lazy.operands.bound].form;
  return forms;
}

IndexedVector<ProgramNode, NodeForm> node_forms(const Program& program, Compilation& compilation,
                                                Host& host) {
  using State = Compilation::State;
  const EmittedCode* const code = compilation.code(host);
  const State state = compilation.state();
  const IndexedVector thunks = thunk_forms(program);
  IndexedVector<ProgramNode, NodeForm> forms(thunks.size());
  for (const ProgramNode i : forms.indices()) {
    if (code == nullptr)
      forms[i].why = thunks[i] == ThunkForm::Branch ? "" : "the mode emits no C";
    else if (state == State::Failed || state == State::Unneeded)
      forms[i].why = compilation.why_not();
    else
      forms[i] = code->forms()[i];
    if (!forms[i].form) forms[i].form = thunks[i];
  }
  return forms;
}

}  // namespace thunkvm
