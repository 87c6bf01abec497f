#include "verifier/dryrun/native_symbols.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include <cxxabi.h>

#ifdef FORERUN_HAVE_LIBDW
#include <elfutils/libdwfl.h>
#endif

namespace forerun::dryrun {

#ifdef FORERUN_HAVE_LIBDW
namespace {

// Debug information is looked for in the object alone: no search of folders, no server is asked.
int no_other_file(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*,
                  GElf_Word, char**) {
  return -1;
}

int no_process(Dwfl_Module*, void**, const char*, Dwarf_Addr, char**, Elf**) { return -1; }

const Dwfl_Callbacks kCallbacks = {no_process, no_other_file, dwfl_offline_section_address,
                                   nullptr};

class Object {
 public:
  explicit Object(const std::string& path) : session_(::dwfl_begin(&kCallbacks)) {
    if (session_ == nullptr) return;
    ::dwfl_report_begin(session_);
    module_ = ::dwfl_report_offline(session_, path.c_str(), path.c_str(), -1);
    ::dwfl_report_end(session_, nullptr, nullptr);
    if (module_ == nullptr) return;
    ::dwfl_module_info(module_, nullptr, &start_, nullptr, nullptr, nullptr, nullptr, nullptr);
    read_symbols();
  }
  ~Object() {
    if (session_ != nullptr) ::dwfl_end(session_);
  }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  // A return address is behind its call, which may be the last instruction of a line or function.
  NativePlace find(std::uint64_t offset) const {
    NativePlace place;
    if (module_ == nullptr || offset == 0) return place;
    const Dwarf_Addr address = start_ + offset - 1;
    if (const char* name = symbol_at(address); name != nullptr) place.function = demangled(name);
    Dwfl_Line* line = ::dwfl_module_getsrc(module_, address);
    const char* file = line == nullptr
                           ? nullptr
                           : ::dwfl_lineinfo(line, nullptr, &place.line, nullptr, nullptr, nullptr);
    if (file != nullptr) place.file = file;
    return place;
  }

 private:
  struct Symbol {
    Dwarf_Addr begin, end;
    const char* name;  // libdw's, while the session lives
  };

  // PyTorch's libraries have hundreds of thousands, and libdw looks through them one by one.
  void read_symbols() {
    const int count = ::dwfl_module_getsymtab(module_);
    for (int i = 0; i < count; ++i) {
      GElf_Sym symbol;
      GElf_Addr address = 0;
      const char* name =
          ::dwfl_module_getsym_info(module_, i, &symbol, &address, nullptr, nullptr, nullptr);
      if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_size == 0)
        continue;
      symbols_.push_back({address, address + symbol.st_size, name});
    }
    std::stable_sort(symbols_.begin(), symbols_.end(),
                     [](const Symbol& a, const Symbol& b) { return a.begin < b.begin; });
  }

  const char* symbol_at(Dwarf_Addr address) const {
    auto at = std::upper_bound(
        symbols_.begin(), symbols_.end(), address,
        [](Dwarf_Addr wanted, const Symbol& symbol) { return wanted < symbol.begin; });
    if (at == symbols_.begin()) return nullptr;
    --at;
    return address < at->end ? at->name : nullptr;
  }

  Dwfl* session_;
  Dwfl_Module* module_ = nullptr;
  Dwarf_Addr start_ = 0;
  std::vector<Symbol> symbols_;
};

}  // namespace

struct NativeSymbols::Objects {
  std::map<std::string, Object> by_path;
  std::map<std::pair<std::string, std::uint64_t>, NativePlace> found;
};

bool NativeSymbols::available() { return true; }

NativePlace NativeSymbols::find(const std::string& object, std::uint64_t offset) {
  const auto [at, is_new] = objects_->found.try_emplace({object, offset});
  if (is_new) at->second = objects_->by_path.try_emplace(object, object).first->second.find(offset);
  return at->second;
}

#else
struct NativeSymbols::Objects {};
bool NativeSymbols::available() { return false; }
NativePlace NativeSymbols::find(const std::string&, std::uint64_t) { return {}; }
#endif

NativeSymbols::NativeSymbols() : objects_(std::make_unique<Objects>()) {}
NativeSymbols::~NativeSymbols() = default;

std::string demangled(const std::string& name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  if (text == nullptr) return name;
  std::string result = text;
  std::free(text);
  return result;
}

namespace {

void drop_all(std::string& text, const std::string& what) {
  for (std::size_t at; (at = text.find(what)) != std::string::npos;) text.erase(at, what.size());
}

// Where the list of arguments opens: the first '(' outside angle brackets.
std::size_t arguments_at(const std::string& text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>' && depth > 0) --depth;
    const bool names_it = text[i] == '(' && i + 1 < text.size() && text[i + 1] == ')' && i >= 8 &&
                          text.compare(i - 8, 8, "operator") == 0;
    if (text[i] == '(' && depth == 0 && !names_it) return i;
  }
  return text.size();
}

// Past the return type, which a template instance has and which a space outside brackets ends.
std::size_t name_at(const std::string& text) {
  int depth = 0;
  std::size_t at = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<' || text[i] == '(') ++depth;
    if ((text[i] == '>' || text[i] == ')') && depth > 0) --depth;
    if (text[i] == ' ' && depth == 0) at = i + 1;
  }
  return at;
}

// Template arguments of template arguments of template arguments: "A<B<C<D>>>" -> "A<B<C>>".
std::string without_depths(const std::string& text) {
  constexpr int kDeepest = 2;
  std::string result;
  int depth = 0;
  for (const char c : text) {
    if (c == '<' && ++depth > kDeepest) continue;
    if (c == '>' && depth > 0 && depth-- > kDeepest) continue;
    if (depth <= kDeepest) result += c;
  }
  return result;
}

}  // namespace

std::string short_function(std::string name) {
  drop_all(name, "(anonymous namespace)::");
  name.resize(arguments_at(name));
  name.erase(0, name_at(name));
  name = without_depths(name);
  for (std::size_t at; (at = name.find("> >")) != std::string::npos;) name.erase(at + 1, 1);
  constexpr std::size_t kLongest = 110;
  return name.size() > kLongest ? name.substr(0, kLongest - 3) + "..." : name;
}

std::string kernel_name(const std::string& mangled) {
  std::string name = demangled(mangled);
  if (name != mangled) {
    for (const char* noise : {"at::native::", "c10::", "at::", "cuda::std::"})
      drop_all(name, noise);
  }
  return short_function(std::move(name));
}

}  // namespace forerun::dryrun
