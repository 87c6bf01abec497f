#include "verifier/dryrun/native_symbols.h"

#include <cstdlib>
#include <map>

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
    if (module_ != nullptr)
      ::dwfl_module_info(module_, nullptr, &start_, nullptr, nullptr, nullptr, nullptr, nullptr);
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
    GElf_Off inside = 0;
    GElf_Sym symbol;
    const char* name =
        ::dwfl_module_addrinfo(module_, address, &inside, &symbol, nullptr, nullptr, nullptr);
    if (name != nullptr) place.function = demangled(name);
    Dwfl_Line* line = ::dwfl_module_getsrc(module_, address);
    const char* file = line == nullptr
                           ? nullptr
                           : ::dwfl_lineinfo(line, nullptr, &place.line, nullptr, nullptr, nullptr);
    if (file != nullptr) place.file = file;
    return place;
  }

 private:
  Dwfl* session_;
  Dwfl_Module* module_ = nullptr;
  Dwarf_Addr start_ = 0;
};

}  // namespace

struct NativeSymbols::Objects {
  std::map<std::string, Object> by_path;
};

bool NativeSymbols::available() { return true; }

NativePlace NativeSymbols::find(const std::string& object, std::uint64_t offset) {
  return objects_->by_path.try_emplace(object, object).first->second.find(offset);
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
    if (text[i] == '(' && depth == 0) return i;
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

std::string kernel_name(const std::string& mangled) {
  constexpr std::size_t kLongest = 110;
  std::string name = demangled(mangled);
  if (name == mangled && name.size() <= kLongest) return name;
  for (const char* noise :
       {"(anonymous namespace)::", "at::native::", "c10::", "at::", "cuda::std::"})
    drop_all(name, noise);
  name.resize(arguments_at(name));
  name.erase(0, name_at(name));
  name = without_depths(name);
  for (std::size_t at; (at = name.find("> >")) != std::string::npos;) name.erase(at + 1, 1);
  if (name.size() > kLongest) name = name.substr(0, kLongest - 3) + "...";
  return name;
}

}  // namespace forerun::dryrun
