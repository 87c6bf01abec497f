// An ONNX model as the program of ATen operators that PyTorch would train in its place: floating
// initializers are parameters, each ONNX operator is the ATen one of the same meaning, and the
// exporter's way of writing gelu with Erf is gelu again.
#pragma once

#include <string>

#include "core/result.h"
#include "estimator/readers/exported_program.h"

namespace forerun::readers {

// Errors: the file's, with its path; an operator that is not modelled, with its node.
Result<ExportedProgram> read_onnx(const std::string& path);
Result<ExportedProgram> parse_onnx(Bytes& bytes, const std::string& path);

}  // namespace forerun::readers
