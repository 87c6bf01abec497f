// The graph of a program that torch.export saved, run as `ExportedProgram.module()` runs it: one
// ATen operator after another, each result held under its name until its last use (torch.fx's
// generated code, 2.11).
#pragma once

#include "core/result.h"
#include "core/spec.h"
#include "estimator/graph/builder.h"
#include "estimator/readers/exported_program.h"

namespace forerun::graph {

// The program of `model: {exported: model.pt2}`, read unless the spec holds it already. Errors: the
// archive's, or that it cannot be opened, which is said at the spec's place.
Result<std::shared_ptr<const readers::ExportedProgram>> program_of(const ModelSource& source);

// Makes the parameters and buffers, the batch, and runs the program's graph; gives the first tensor
// of what it returns. Errors: an operator that is not modelled, with its node; sizes that the spec
// leaves open or contradicts.
Result<Name> run_exported(Builder& builder, const Spec& spec,
                          const readers::ExportedProgram& program);

}  // namespace forerun::graph
