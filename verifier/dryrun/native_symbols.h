// Functions and source lines of places in executables and shared objects, by their ELF symbol
// tables and, where there is debug information, by DWARF (elfutils' libdw). Without libdw, nothing
// is found.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace forerun::dryrun {

struct NativePlace {
  std::string function;  // demangled; "" when it is not known
  std::string file;      // as the debug information says it; "" without
  int line = 0;
};

class NativeSymbols {
 public:
  NativeSymbols();
  ~NativeSymbols();
  NativeSymbols(const NativeSymbols&) = delete;
  NativeSymbols& operator=(const NativeSymbols&) = delete;

  static bool available();
  // `offset`: of a return address, from where the object's first segment is loaded.
  NativePlace find(const std::string& object, std::uint64_t offset);

 private:
  struct Objects;
  std::unique_ptr<Objects> objects_;
};

// The name in C++'s own notation; `name` itself when it is not mangled.
std::string demangled(const std::string& name);

// A demangled name without return type, arguments, anonymous namespaces and template arguments more
// than two deep, at most 110 characters: "at::native::apply<Functor<float>, 4>".
std::string short_function(std::string name);

// A kernel's, without PyTorch's namespaces: "vectorized_elementwise_kernel<4, FillFunctor<float>>".
std::string kernel_name(const std::string& mangled);

}  // namespace forerun::dryrun
