#include "analyzer/cpp/function_lowering.h"
#include "analyzer/cpp/types.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/StringExtras.h"

namespace forerun::cpp {

using namespace clang;

namespace {

// What a method or function of torch means when its result is no tensor after all.
void correct_result(ir::Op& op, const FunctionDecl* callee) {
  if (op.kind != ir::Kind::Tensor || !callee) return;
  const QualType result = callee->getReturnType();
  if (result->isDependentType() || result->getContainedAutoType()) return;
  const ir::Role role = role_of(result);
  if (role == ir::Role::Tensor || role == ir::Role::Container || role == ir::Role::Unknown) {
    if (!result->isVoidType()) return;
  }
  op.kind = ir::Kind::Call;
  op.result_role = role;
}

// The user's own method is what the library calls: forward, or an override of the library's virtual
// one.
bool is_protocol(const CXXMethodDecl& method, ir::Role role, const std::string& name) {
  if (role == ir::Role::Optimizer || role == ir::Role::Scheduler || role == ir::Role::Scaler)
    return true;
  const bool module = role == ir::Role::Module || role == ir::Role::LossModule;
  if (module && (name == "forward" || name == "operator()")) return true;
  for (const CXXMethodDecl* above : method.overridden_methods()) {
    if (is_in_torch(*above) || is_protocol(*above, role, name)) return true;
  }
  return false;
}

std::string template_arguments(const FunctionDecl& callee) {
  const TemplateArgumentList* given = callee.getTemplateSpecializationArgs();
  if (!given || given->size() == 0) return {};
  const TemplateArgument& first = given->get(0);
  if (first.getKind() != TemplateArgument::Type) return {};
  PrintingPolicy policy(callee.getASTContext().getPrintingPolicy());
  policy.SuppressScope = true;
  return first.getAsType().getUnqualifiedType().getAsString(policy);
}

ir::Role role_by_name(const std::optional<ir::Place>& place, bool called) {
  if (!place) return ir::Role::Unknown;
  std::string name = place->root;
  for (const std::string& step : place->steps) {
    if (step != "[]") name = step;
  }
  return called ? lexicon::role_from_called_name(name) : lexicon::role_from_name(name);
}

std::optional<ir::Place> as_place(const ir::Operand& operand) {
  if (const auto* place = std::get_if<ir::Place>(&operand)) return *place;
  return std::nullopt;
}

}  // namespace

void FunctionLowering::template_detail(ir::Op& op, const FunctionDecl* callee) {
  if (!callee) return;
  const std::string text = template_arguments(*callee);
  if (!text.empty()) op.details["template"] = text;
}

ir::Operand FunctionLowering::call(const CallExpr& e, const Sink& sink) {
  if (const auto* x = dyn_cast<CXXOperatorCallExpr>(&e)) return operator_call(*x, sink);
  const llvm::SmallVector<const Expr*, 8> given(e.arg_begin(), e.arg_end());
  if (const auto* x = dyn_cast<CXXMemberCallExpr>(&e)) {
    if (const CXXMethodDecl* method = x->getMethodDecl()) {
      return method_call(e, x->getImplicitObjectArgument(), method, method->getNameAsString(),
                         given, sink);
    }
  }
  if (e.isTypeDependent() || !e.getDirectCallee()) {
    const Expr* callee = e.getCallee()->IgnoreParenImpCasts();
    if (isa<UnresolvedLookupExpr, CXXDependentScopeMemberExpr, UnresolvedMemberExpr,
            DependentScopeDeclRefExpr>(callee)) {
      return dependent_call(e, sink);
    }
  }
  if (const FunctionDecl* callee = e.getDirectCallee()) return free_call(e, *callee, sink);
  if (isa<CXXPseudoDestructorExpr>(e.getCallee()->IgnoreParens())) return ir::Opaque{};
  return called_value(e, e.getCallee(), nullptr, given, sink);
}

// --- free functions

std::optional<ir::Operand> FunctionLowering::known_function(const CallExpr& e,
                                                            const FunctionDecl& callee,
                                                            const std::string& qualified,
                                                            const Sink& sink) {
  const llvm::SmallVector<const Expr*, 8> given(e.arg_begin(), e.arg_end());
  if (qualified == "std::make_shared" || qualified == "std::make_unique") {
    const TemplateArgumentList* made = callee.getTemplateSpecializationArgs();
    if (!made || made->size() == 0 || made->get(0).getKind() != TemplateArgument::Type)
      return std::nullopt;
    const CXXRecordDecl* record = own_class(made->get(0).getAsType());
    if (!record)
      return given.size() == 1 ? std::optional(lower(given.front(), sink)) : std::nullopt;
    if (is_sequence(record) || is_map(record)) {
      ir::Op op = start(ir::Kind::Pack, is_map(record) ? "dict" : "list");
      op.arguments = arguments(given, nullptr);
      op.result_role = ir::Role::Container;
      return emit(std::move(op), &e, sink);
    }
    return construct_class(*record, nullptr, given, &e, sink);
  }
  if (qualified == "std::make_tuple" || qualified == "std::make_pair" || qualified == "std::tie" ||
      qualified == "std::forward_as_tuple") {
    ir::Op op = start(ir::Kind::Pack, "tuple");
    op.arguments = arguments(given, nullptr);
    return emit(std::move(op), &e, sink);
  }
  if (qualified == "std::get" && given.size() == 1) {
    ir::Op op = start(ir::Kind::Index);
    op.receiver = value(given.front());
    const TemplateArgumentList* which = callee.getTemplateSpecializationArgs();
    ir::Operand key = ir::Opaque{};
    if (which && which->size() > 0 && which->get(0).getKind() == TemplateArgument::Integral) {
      key = ir::Literal{llvm::toString(which->get(0).getAsIntegral(), 10)};
    }
    op.arguments = {{{}, key}};
    return emit(std::move(op), &e, sink);
  }
  if (llvm::StringRef(qualified).starts_with("std::chrono::") &&
      llvm::StringRef(qualified).ends_with("::now")) {
    return emit(start(ir::Kind::Clock), &e, sink);
  }
  if (is_options(own_class(callee.getReturnType())) && given.size() == 1 && is_in_torch(callee)) {
    ir::Op op = start(ir::Kind::Call, "TensorOptions");
    if (options_function(e, op.arguments)) return emit(std::move(op), &e, sink);
  }
  return std::nullopt;
}

// make_data_loader<Sampler>(data, options), make_data_loader(data, sampler, options): Python's
// DataLoader, which shuffles where it is told to and LibTorch where it is told nothing.
ir::Operand FunctionLowering::data_loader(const CallExpr& e, const FunctionDecl& callee,
                                          const Sink& sink) {
  ir::Op op = start(ir::Kind::Construct, "DataLoader");
  op.details["spelling"] = qualified_name(callee);
  op.result_role = ir::Role::Loader;
  op.arguments = arguments({e.getArgs(), e.getNumArgs()}, nullptr);
  for (ir::Argument& each : op.arguments) {
    if (each.name == "workers") each.name = "num_workers";
  }
  const bool given = callee.getNumParams() > 2 && op.arguments.size() > 1;
  if (given) op.arguments[1].name = "sampler";
  const std::string sampler = given ? "" : template_arguments(callee);
  if (sampler == "RandomSampler") {
    op.arguments.push_back({"shuffle", ir::Literal{"true"}});
  } else if (sampler != "SequentialSampler" && !sampler.empty()) {
    // A sampler of its own, or a data set that keeps its place: neither tells its order.
    op.arguments.push_back({"sampler", ir::FunctionReference{sampler}});
  }
  return emit(std::move(op), &e, sink);
}

ir::Operand FunctionLowering::free_call(const CallExpr& e, const FunctionDecl& callee,
                                        const Sink& sink) {
  const std::string qualified = qualified_name(callee);
  if (auto known = known_function(e, callee, qualified, sink)) return *known;
  if (qualified == "torch::data::make_data_loader") return data_loader(e, callee, sink);
  const bool own = unit_.files.is_user(callee);
  const std::string name = callee.getNameAsString();
  ir::Op op = start(ir::Kind::Call, name);
  op.details["spelling"] = qualified;
  const auto meaning = own ? std::nullopt : lexicon::function(qualified);
  if (meaning) {
    lexicon::apply(*meaning, op);
    if (op.callee.empty() && op.kind == ir::Kind::Call) op.callee = name;
    correct_result(op, &callee);
  }
  template_detail(op, &callee);
  llvm::SmallVector<const Expr*, 8> given(e.arg_begin(), e.arg_end());
  if (const auto* method = dyn_cast<CXXMethodDecl>(&callee); method && !meaning) {
    op.receiver = ir::FunctionReference{class_name(*method->getParent())};
    if (own) op.details["class"] = class_name(*method->getParent());
  }
  // The stream that fprintf writes to is not shown.
  if (op.kind == ir::Kind::Print && (name == "fprintf" || name == "fputs"))
    given.erase(given.begin());
  // std::accumulate(v.begin(), v.end(), 0): the container once.
  if (is_in_std(callee)) {
    llvm::erase_if(given, [](const Expr* argument) {
      const auto* ended = dyn_cast<CXXMemberCallExpr>(argument->IgnoreImplicit());
      const CXXMethodDecl* method = ended ? ended->getMethodDecl() : nullptr;
      return method && method->getIdentifier() &&
             (method->getName() == "end" || method->getName() == "cend") &&
             role_of(ended->getImplicitObjectArgument()->getType()) == ir::Role::Container;
    });
  }
  op.arguments = arguments(given, &callee);
  if (meaning) lexicon::normalise(op);
  if (op.kind == ir::Kind::Query && !op.receiver && op.arguments.size() == 1) {
    op.receiver = op.arguments.front().value;
    op.arguments.clear();
  }
  const bool exits = op.kind == ir::Kind::Call && op.callee == "exit" && !own;
  const ir::Operand result = emit(std::move(op), &e, exits ? Sink::discard() : sink);
  if (exits) push({ir::Jump{ir::Jump::Form::Raise, {}, unit_.files.location(e.getSourceRange())}});
  return result;
}

// --- methods

std::optional<ir::Operand> FunctionLowering::tensor_method(const Expr& whole, const Expr* object,
                                                           const std::string& name,
                                                           llvm::ArrayRef<const Expr*> given,
                                                           const Sink& sink) {
  // p.grad().zero_(), p.mutable_grad().reset(): changes of a gradient.
  const bool in_place = name.size() > 1 && name.back() == '_';
  const Expr* owner = in_place || name == "reset" ? gradient_owner(object) : nullptr;
  if (owner) {
    ir::Op op = start(ir::Kind::GradWrite, name == "reset" ? "none" : name);
    op.receiver = value(owner);
    op.arguments = arguments(given, nullptr);
    return emit(std::move(op), &whole, sink);
  }
  if (name == "index" && given.size() == 1) {
    const Element read = element_of(&whole);
    if (read.container) return element(read.container, read.keys, &whole, sink);
  }
  if (name == "index_put_" && given.size() >= 2) {
    Element written{object, {given.front()}};
    if (const auto* keys = dyn_cast<InitListExpr>(strip(given.front()))) {
      written.keys.assign(keys->inits().begin(), keys->inits().end());
    }
    const ir::Operand stored = value(given[1]);
    store(written, stored, &whole);
    return sink.wanted ? lower(object, sink) : ir::Operand(ir::Opaque{});
  }
  // x.clone().detach() is x.detach().
  const auto* inner = name == "detach" ? dyn_cast<CXXMemberCallExpr>(strip(object)) : nullptr;
  const CXXMethodDecl* copied = inner ? inner->getMethodDecl() : nullptr;
  if (copied && copied->getIdentifier() && copied->getName() == "clone" &&
      written_arguments({inner->getArgs(), inner->getNumArgs()}).empty()) {
    ir::Op op = start(ir::Kind::Detach);
    op.receiver = value(inner->getImplicitObjectArgument());
    return emit(std::move(op), &whole, sink);
  }
  return std::nullopt;
}

std::optional<ir::Operand> FunctionLowering::container_method(const Expr& whole, const Expr* object,
                                                              const std::string& name,
                                                              llvm::ArrayRef<const Expr*> given,
                                                              const Sink& sink) {
  if (name == "at" && given.size() == 1) return element(object, given, &whole, sink);
  if (name == "front" || name == "back") {
    ir::Op op = start(ir::Kind::Index);
    op.receiver = value(object);
    op.arguments = {{{}, ir::Literal{name == "front" ? "0" : "-1"}}};
    return emit(std::move(op), &whole, sink);
  }
  // xs.emplace_back(a, b) makes the element of its arguments.
  const auto* own = dyn_cast_or_null<ClassTemplateSpecializationDecl>(own_class(object->getType()));
  const bool emplaces = name == "emplace_back" || name == "emplace_front" || name == "emplace";
  if (emplaces && given.size() > 1 && own && !is_map(own) && own->getTemplateArgs().size() > 0 &&
      own->getTemplateArgs()[0].getKind() == TemplateArgument::Type) {
    const CXXRecordDecl* record = own_class(own->getTemplateArgs()[0].getAsType());
    const auto to = place(object);
    ir::Op op = start(ir::Kind::Append);
    op.receiver = to ? ir::Operand(*to) : value(object);
    if (record && is_tuple(record)) {
      ir::Op made = start(ir::Kind::Pack, "tuple");
      made.result_role = ir::Role::Container;
      made.arguments = arguments(given, nullptr);
      op.arguments = {{{}, emit(std::move(made), &whole, Sink::operand())}};
    } else if (record) {
      op.arguments = {{{}, construct_class(*record, nullptr, given, &whole, Sink::operand())}};
    } else {
      op.arguments = arguments(given, nullptr);
    }
    return emit(std::move(op), &whole, Sink::discard());
  }
  // xs.insert(xs.begin() + i, v)
  if (name == "insert" && given.size() == 2 && !is_map(own_class(object->getType()))) {
    const auto to = place(object);
    ir::Op op = start(ir::Kind::Append);
    op.receiver = to ? ir::Operand(*to) : value(object);
    op.arguments = {{{}, value(given[1])}};
    return emit(std::move(op), &whole, Sink::discard());
  }
  // xs.insert(xs.end(), a.begin(), a.end())
  if (name == "insert" && given.size() == 3) {
    ir::Op op = start(ir::Kind::Append, "extend");
    const auto to = place(object);
    op.receiver = to ? ir::Operand(*to) : value(object);
    op.arguments = {{{}, value(given[1])}};
    return emit(std::move(op), &whole, sink);
  }
  if ((name == "insert_or_assign" || name == "emplace" || name == "try_emplace" ||
       name == "insert") &&
      given.size() == 2 && is_map(own_class(object->getType()))) {
    store({object, {given[0]}}, value(given[1]), &whole);
    return ir::Opaque{};
  }
  return std::nullopt;
}

std::optional<ir::Operand> FunctionLowering::known_method(const Expr& whole, const Expr* object,
                                                          const CXXMethodDecl& method,
                                                          const std::string& name,
                                                          llvm::ArrayRef<const Expr*> given,
                                                          const Sink& sink) {
  const CXXRecordDecl* own = own_class(object->getType());
  // x.data() read is an operation; written to, a place.
  if (name != "data") {
    if (const auto attribute = attribute_place(&whole)) return plain(*attribute, &whole, sink);
  }
  if (is_options(own) && !given.empty()) {
    // group.options().lr(x), options.momentum(0.9) on an object with a name; options as a value
    // otherwise.
    const auto changed = sink.wanted ? std::nullopt : place(object);
    ir::Op op = start(changed ? ir::Kind::Store : ir::Kind::Call, changed ? "" : class_name(*own));
    if (changed) {
      op.receiver = *changed;
      op.arguments = {{{}, ir::Literal{"\"" + name + "\""}}, {{}, value(given.front())}};
      return emit(std::move(op), &whole, sink);
    }
    if (options_arguments(&whole, op.arguments)) return emit(std::move(op), &whole, sink);
    return std::nullopt;
  }
  if (name == "size" && given.empty() &&
      derives_from(object_class(object->getType()), "torch::data::datasets::BatchDataset")) {
    ir::Op op = start(ir::Kind::Query, "len");
    op.receiver = value(object);
    op.result_role = ir::Role::Number;
    return emit(std::move(op), &whole, sink);
  }
  const bool torch_module =
      derives_from(method.getParent(), "torch::nn::Module") && !unit_.files.is_user(method);
  if (torch_module && (name == "register_module" || name == "replace_module") &&
      given.size() == 2 && sink.wanted) {
    if (const auto present = place(given[1])) {
      // One that has a name already: registering it is all that happens.
      ir::Op call = start(ir::Kind::Call, name);
      call.receiver = value(object);
      call.arguments = {{{}, value(given[0])}, {{}, *present}};
      emit(std::move(call), &whole, Sink::discard());
      return sink.names == std::vector<ir::Place>{*present} ? ir::Operand(*present)
                                                            : plain(*present, &whole, sink);
    }
    const auto text = literal(strip(given[0]));
    if (!text) value(given[0]);
    const std::size_t before = block_->size();
    const ir::Operand registered = lower(given[1], sink);
    auto* op = block_->size() > before ? std::get_if<ir::Op>(&block_->back().value) : nullptr;
    if (op) op->details["registered"] = text ? text->text : "?";
    return registered;
  }
  if (torch_module && name == "register_parameter" && given.size() >= 2 && sink.wanted) {
    ir::Op op = start(ir::Kind::Construct, "Parameter");
    op.arguments = {{{}, value(given[1])}};
    if (given.size() > 2 && !isa<CXXDefaultArgExpr>(given[2]))
      op.arguments.push_back({"requires_grad", value(given[2])});
    const auto text = literal(strip(given[0]));
    op.details["registered"] = text ? text->text : "?";
    op.result_role = ir::Role::Tensor;
    return emit(std::move(op), &whole, sink);
  }
  return std::nullopt;
}

namespace {

// `model->to(device)` of a type that is not known: tensors are never reached through `->`, holders
// and pointers to modules are.
bool is_through_arrow(const Expr& call) {
  const auto* e = dyn_cast<CallExpr>(&call);
  const Expr* callee = e ? e->getCallee()->IgnoreParenImpCasts() : nullptr;
  if (const auto* x = dyn_cast_or_null<CXXDependentScopeMemberExpr>(callee)) return x->isArrow();
  const auto* x = dyn_cast_or_null<UnresolvedMemberExpr>(callee);
  return x && x->isArrow();
}

}  // namespace

ir::Operand FunctionLowering::method_call(const Expr& whole, const Expr* object,
                                          const CXXMethodDecl* method, const std::string& name,
                                          llvm::ArrayRef<const Expr*> given, const Sink& sink) {
  if (method && object) {
    if (auto known = known_method(whole, object, *method, name, given, sink)) return *known;
  }
  ir::Role role = object ? role_of(object->getType()) : ir::Role::Unknown;
  if (role == ir::Role::Tensor) {
    if (auto done = tensor_method(whole, object, name, given, sink)) return *done;
  }
  if (role == ir::Role::Container) {
    if (auto done = container_method(whole, object, name, given, sink)) return *done;
  }
  if (role == ir::Role::Unknown && object)
    role = role_by_name(place(object), /*called=*/name == "forward");
  const bool own = method && unit_.files.is_user(*method);
  std::optional<lexicon::Meaning> meaning;
  if (!own || is_protocol(*method, role, name)) {
    const std::string_view asked = name == "operator()" ? std::string_view("forward") : name;
    if (!method && role == ir::Role::Unknown && is_through_arrow(whole))
      meaning = lexicon::method(ir::Role::Module, asked);
    if (!meaning) meaning = lexicon::method(role, asked);
    if (!meaning && !method) meaning = lexicon::method(ir::Role::Unknown, name);
  }
  ir::Op op = start(ir::Kind::Call, name);
  if (meaning) {
    lexicon::apply(*meaning, op);
    if (op.callee.empty() && op.kind == ir::Kind::Call) op.callee = name;
    correct_result(op, method);
  }
  const bool changes =
      op.kind == ir::Kind::Append || op.kind == ir::Kind::Remove || op.kind == ir::Kind::Store;
  std::optional<ir::Place> written = changes && object ? place(object) : std::nullopt;
  if (method && method->isStatic()) {
    op.receiver = ir::FunctionReference{class_name(*method->getParent())};
  } else if (written) {
    op.receiver = *written;
  } else {
    op.receiver = object ? value(object) : ir::Operand(ir::Place{"self", {}});
  }
  if (method) {
    const bool called = op.kind == ir::Kind::Forward || op.kind == ir::Kind::Loss;
    const CXXRecordDecl* record =
        called && object ? object_class(object->getType()) : method->getParent();
    if (record && (called || unit_.files.is_user(*record)))
      op.details["class"] = class_name(*record);
    op.details["spelling"] = qualified_name(*method);
    template_detail(op, method);
  }
  op.arguments = arguments(given, method);
  // x.to(device): one of LibTorch's overloads takes options, which the device becomes.
  const auto is_option = [](const ir::Argument& each) {
    return each.name == "device" || each.name == "dtype";
  };
  if (op.kind == ir::Kind::Move && llvm::count_if(op.arguments, is_option) == 1 &&
      is_option(op.arguments.front())) {
    op.arguments.front().name.clear();
  }
  if (meaning) lexicon::normalise(op);
  return emit(std::move(op), &whole, sink);
}

ir::Operand FunctionLowering::called_value(const Expr& whole, const Expr* callee,
                                           const FunctionDecl* function,
                                           llvm::ArrayRef<const Expr*> given, const Sink& sink) {
  ir::Role role = role_of(callee->getType());
  const auto* method = dyn_cast_or_null<CXXMethodDecl>(function);
  if (role == ir::Role::Module || role == ir::Role::LossModule) {
    return method_call(whole, callee, method, "forward", given, sink);
  }
  const ir::Operand called = value(callee);
  ir::Op op = start(ir::Kind::Call);
  if (const auto* known = std::get_if<ir::FunctionReference>(&called)) {
    op.callee = known->name;
  } else {
    if (role == ir::Role::Unknown || role == ir::Role::Other)
      role = role_by_name(as_place(called), /*called=*/true);
    if (const auto meaning = role == ir::Role::Module || role == ir::Role::LossModule
                                 ? lexicon::method(role, "forward")
                                 : std::nullopt) {
      lexicon::apply(*meaning, op);
    }
    op.receiver = called;
    const CXXRecordDecl* record = object_class(callee->getType());
    if (record && unit_.files.is_user(*record)) op.details["class"] = class_name(*record);
  }
  op.arguments = arguments(given, function);
  return emit(std::move(op), &whole, sink);
}

// A template's own text: names are all there is.
ir::Operand FunctionLowering::dependent_call(const CallExpr& e, const Sink& sink) {
  const Expr* callee = e.getCallee()->IgnoreParenImpCasts();
  const llvm::SmallVector<const Expr*, 8> given(e.arg_begin(), e.arg_end());
  if (const auto* x = dyn_cast<CXXDependentScopeMemberExpr>(callee)) {
    return method_call(e, x->isImplicitAccess() ? nullptr : x->getBase(), nullptr,
                       x->getMember().getAsString(), given, sink);
  }
  if (const auto* x = dyn_cast<UnresolvedMemberExpr>(callee)) {
    return method_call(e, x->isImplicitAccess() ? nullptr : x->getBase(), nullptr,
                       x->getMemberName().getAsString(), given, sink);
  }
  std::string name;
  const FunctionDecl* candidate = nullptr;
  if (const auto* x = dyn_cast<UnresolvedLookupExpr>(callee)) {
    name = x->getName().getAsString();
    for (const NamedDecl* declared : x->decls())
      candidate = declared->getUnderlyingDecl()->getAsFunction();
  } else if (const auto* x = dyn_cast<DependentScopeDeclRefExpr>(callee)) {
    name = x->getDeclName().getAsString();
  }
  const std::string qualified = candidate ? qualified_name(*candidate) : name;
  if ((qualified == "std::move" || qualified == "std::forward") && given.size() == 1)
    return lower(given.front(), sink);
  ir::Op op = start(ir::Kind::Call, name);
  op.details["spelling"] = qualified;
  const bool own = candidate && unit_.files.is_user(*candidate);
  if (const auto meaning = own || !candidate ? std::nullopt : lexicon::function(qualified)) {
    lexicon::apply(*meaning, op);
    if (op.callee.empty() && op.kind == ir::Kind::Call) op.callee = name;
  }
  op.arguments = arguments(given, nullptr);
  lexicon::normalise(op);
  return emit(std::move(op), &e, sink);
}

// --- operators

namespace {

std::string arithmetic_name(OverloadedOperatorKind kind, unsigned operands) {
  switch (kind) {
    case OO_Plus: return operands == 1 ? "pos" : "add";
    case OO_Minus: return operands == 1 ? "neg" : "sub";
    case OO_Star: return "mul";
    case OO_Slash: return "div";
    case OO_Percent: return "mod";
    case OO_Caret: return "bitxor";
    case OO_Amp: return "bitand";
    case OO_Pipe: return "bitor";
    case OO_Tilde: return "invert";
    case OO_Exclaim: return "not";
    case OO_Less: return "lt";
    case OO_Greater: return "gt";
    case OO_LessEqual: return "le";
    case OO_GreaterEqual: return "ge";
    case OO_EqualEqual: return "eq";
    case OO_ExclaimEqual: return "ne";
    case OO_AmpAmp: return "and";
    case OO_PipePipe: return "or";
    case OO_GreaterGreater: return "rshift";
    case OO_Spaceship: return "cmp";
    case OO_PlusEqual: return "iadd";
    case OO_MinusEqual: return "isub";
    case OO_StarEqual: return "imul";
    case OO_SlashEqual: return "idiv";
    case OO_PercentEqual: return "imod";
    case OO_CaretEqual: return "ibitxor";
    case OO_AmpEqual: return "ibitand";
    case OO_PipeEqual: return "ibitor";
    case OO_LessLessEqual: return "ilshift";
    case OO_GreaterGreaterEqual: return "irshift";
    default: return "";
  }
}

}  // namespace

ir::Operand FunctionLowering::operator_call(const CXXOperatorCallExpr& e, const Sink& sink) {
  const llvm::SmallVector<const Expr*, 4> given(e.arg_begin(), e.arg_end());
  const OverloadedOperatorKind kind = e.getOperator();
  if (kind == OO_Subscript && given.size() >= 2) {
    return element(given.front(), llvm::ArrayRef(given).drop_front(), &e, sink);
  }
  if (kind == OO_Call && !given.empty()) {
    return called_value(e, given.front(), e.getDirectCallee(), llvm::ArrayRef(given).drop_front(),
                        sink);
  }
  if (kind == OO_Equal && given.size() == 2) return assignment(given[0], given[1], &e, sink);
  if (kind == OO_PlusPlus || kind == OO_MinusMinus)
    return increment(given[0], kind == OO_PlusPlus, &e, sink);
  if (kind == OO_LessLess && given.size() == 2) return stream_chain(e, sink);
  if (kind == OO_Comma && given.size() == 2) {
    effect(given[0]);
    return lower(given[1], sink);
  }
  const std::string name = arithmetic_name(kind, static_cast<unsigned>(given.size()));
  if (CXXOperatorCallExpr::isAssignmentOp(kind) && given.size() == 2) {
    return compound_assignment(name, given[0], given[1], &e, sink);
  }
  if (!name.empty()) return arithmetic(name, given, &e, sink);
  ir::Op op = start(ir::Kind::Call, getOperatorSpelling(kind));
  op.arguments = arguments(given, nullptr);
  return emit(std::move(op), &e, sink);
}

namespace {

// a << b << c, from the right.
std::pair<const Expr*, const Expr*> shifted(const Expr* e) {
  if (const auto* x = dyn_cast<CXXOperatorCallExpr>(e);
      x && x->getOperator() == OO_LessLess && x->getNumArgs() == 2) {
    return {x->getArg(0), x->getArg(1)};
  }
  if (const auto* x = dyn_cast<BinaryOperator>(e); x && x->getOpcode() == BO_Shl)
    return {x->getLHS(), x->getRHS()};
  return {nullptr, nullptr};
}

// std::endl, std::fixed, std::setw(8), the line end.
bool is_manipulator(const Expr* e) {
  e = strip(e);
  if (const auto* x = dyn_cast<DeclRefExpr>(e))
    return isa<FunctionDecl>(x->getDecl()) && is_in_std(*x->getDecl());
  if (const auto* x = dyn_cast<OverloadExpr>(e)) {
    return llvm::any_of(x->decls(), [](const NamedDecl* candidate) {
      return is_in_std(*candidate->getUnderlyingDecl());
    });
  }
  if (const auto* x = dyn_cast<CallExpr>(e)) {
    const FunctionDecl* callee = x->getDirectCallee();
    const std::string name =
        callee && callee->getIdentifier() && is_in_std(*callee) ? callee->getName().str() : "";
    return name.starts_with("set") || name == "resetiosflags";
  }
  if (const auto* x = dyn_cast<StringLiteral>(e))
    return x->getCharByteWidth() == 1 && x->getString() == "\n";
  const auto* character = dyn_cast<CharacterLiteral>(e);
  return character && character->getValue() == '\n';
}

enum class Stream { None, Shown, Written };

Stream stream_kind(const Expr* root) {
  root = strip(root);
  if (const auto* x = dyn_cast<DeclRefExpr>(root); x && is_in_std(*x->getDecl())) {
    const std::string name = x->getDecl()->getNameAsString();
    if (name == "cout" || name == "cerr" || name == "clog") return Stream::Shown;
  }
  const CXXRecordDecl* record = root->getType().isNull() ? nullptr : own_class(root->getType());
  if (!is_stream(record)) return Stream::None;
  const std::string name = record->getNameAsString();
  const bool written =
      name.find("fstream") != std::string::npos || name.find("stringstream") != std::string::npos;
  return written ? Stream::Written : Stream::Shown;
}

}  // namespace

ir::Operand FunctionLowering::stream_chain(const Expr& whole, const Sink& sink) {
  std::vector<const Expr*> shown;
  const Expr* root = &whole;
  for (auto [left, right] = shifted(root); left; std::tie(left, right) = shifted(strip(root))) {
    shown.push_back(right);
    root = left;
  }
  const Stream kind = stream_kind(root);
  if (kind == Stream::None) {
    const auto [left, right] = shifted(&whole);
    return arithmetic("lshift", {left, right}, &whole, sink);
  }
  ir::Op op = start(kind == Stream::Shown ? ir::Kind::Print : ir::Kind::Call,
                    kind == Stream::Shown ? "" : "write");
  if (kind == Stream::Written) op.receiver = value(root);
  for (auto part = shown.rbegin(); part != shown.rend(); ++part) {
    if (!is_manipulator(*part)) op.arguments.push_back({{}, value(*part)});
  }
  // The stream itself is what such an expression is used for, and it is nobody's value.
  if (!op.arguments.empty() || kind == Stream::Shown) emit(std::move(op), &whole, Sink::discard());
  return plain(ir::Opaque{}, &whole, sink);
}

// --- assignment

ir::Operand FunctionLowering::assignment(const Expr* target, const Expr* assigned,
                                         const Expr* whole, const Sink& sink) {
  const Expr* to = strip(target);
  const SourceRange at = whole->getSourceRange();
  // std::tie(h, c) = lstm->forward(x)
  if (const auto* tied = dyn_cast<CallExpr>(to);
      tied && tied->getDirectCallee() && qualified_name(*tied->getDirectCallee()) == "std::tie") {
    std::vector<ir::Place> names;
    for (const Expr* name : tied->arguments()) {
      const auto known = place(name);
      names.push_back(known ? *known : ir::Place{"_", {}});
    }
    return lower(assigned, Sink::named(names, at));
  }
  if (const Expr* owner = gradient_owner(to)) {
    const bool none = is_nothing(assigned);
    ir::Op op = start(ir::Kind::GradWrite, none ? "none" : "assign");
    if (!none) op.arguments.push_back({{}, value(assigned)});
    op.receiver = value(owner);
    emit(std::move(op), whole, Sink::discard());
    return ir::Opaque{};
  }
  const Element element = element_of(to);
  if (element.container) {
    const ir::Operand stored = value(assigned);
    store(element, stored, whole);
    return plain(stored, whole, sink);
  }
  if (const auto into = place(to)) {
    know(*into, to->getType());
    if (const auto* closure = dyn_cast<LambdaExpr>(strip(assigned));
        closure && into->steps.empty()) {
      const auto* reference = dyn_cast<DeclRefExpr>(to);
      if (reference) functions_[reference->getDecl()] = into->root;
    }
    // A class's own nothing: undefined tensor, empty optional.
    lower(assigned, Sink::named({*into}, at));
    return plain(*into, whole, sink);
  }
  // A view or slice assigned through: x.narrow(0, 1, 2) = y.
  ir::Op op =
      start(role_of(to->getType()) == ir::Role::Tensor ? ir::Kind::TensorInPlace : ir::Kind::Call);
  op.callee = op.kind == ir::Kind::Call ? "assign" : "copy_";
  op.receiver = value(to);
  op.arguments = {{{}, value(assigned)}};
  emit(std::move(op), whole, Sink::discard());
  return ir::Opaque{};
}

}  // namespace forerun::cpp
