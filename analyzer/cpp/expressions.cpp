#include <functional>

#include <fmt/format.h>

#include "analyzer/cpp/function_lowering.h"
#include "analyzer/cpp/types.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"

namespace forerun::cpp {

using namespace clang;

namespace {

// Nested deeper than this is not followed: no one writes it, and the stack is finite.
constexpr int kDepthLimit = 3000;

std::string operator_name(BinaryOperatorKind kind) {
  switch (kind) {
    case BO_Add:
    case BO_AddAssign: return "add";
    case BO_Sub:
    case BO_SubAssign: return "sub";
    case BO_Mul:
    case BO_MulAssign: return "mul";
    case BO_Div:
    case BO_DivAssign: return "div";
    case BO_Rem:
    case BO_RemAssign: return "mod";
    case BO_Shl:
    case BO_ShlAssign: return "lshift";
    case BO_Shr:
    case BO_ShrAssign: return "rshift";
    case BO_And:
    case BO_AndAssign: return "bitand";
    case BO_Or:
    case BO_OrAssign: return "bitor";
    case BO_Xor:
    case BO_XorAssign: return "bitxor";
    case BO_LT: return "lt";
    case BO_GT: return "gt";
    case BO_LE: return "le";
    case BO_GE: return "ge";
    case BO_EQ: return "eq";
    case BO_NE: return "ne";
    case BO_LAnd: return "and";
    case BO_LOr: return "or";
    case BO_Cmp: return "cmp";
    default: return "";
  }
}

// "1.f" -> "1.0", "1'000u" -> "1000"
std::string number_text(std::string text) {
  std::erase(text, '\'');
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  while (!text.empty() && std::string_view(hexadecimal ? "uUlLzZ" : "uUlLzZfF").find(text.back()) !=
                              std::string_view::npos) {
    text.pop_back();
  }
  const auto dot = text.find('.');
  if (dot != std::string::npos &&
      (dot + 1 == text.size() || text[dot + 1] == 'e' || text[dot + 1] == 'E')) {
    text.insert(dot + 1, "0");
  }
  if (text.starts_with('.')) text.insert(0, "0");
  return text;
}

std::string in_quotes(llvm::StringRef text) {
  std::string result = "\"";
  for (const char c : text) {
    switch (c) {
      case '"': result += "\\\""; break;
      case '\\': result += "\\\\"; break;
      case '\n': result += "\\n"; break;
      case '\t': result += "\\t"; break;
      case '\r': result += "\\r"; break;
      case '\0': result += "\\0"; break;
      default: result += c;
    }
  }
  return result + "\"";
}

bool is_null(const Expr* e) {
  e = strip(e);
  if (isa<CXXNullPtrLiteralExpr, GNUNullExpr>(e)) return true;
  const auto* reference = dyn_cast<DeclRefExpr>(e);
  return reference && reference->getDecl()->getIdentifier() &&
         reference->getDecl()->getName() == "nullopt";
}

// torch::kMean is a value of type torch::enumtype::kMean; Python writes "mean".
std::optional<std::string> enumeration_text(const NamedDecl& declaration,
                                            const std::string& qualified) {
  const auto* value = dyn_cast<ValueDecl>(&declaration);
  const CXXRecordDecl* type = value ? own_class(value->getType()) : nullptr;
  const bool tag = type && qualified_name(*type).starts_with("torch::enumtype::");
  const bool reduction =
      qualified.starts_with("at::Reduction::") || qualified.starts_with("torch::Reduction::");
  if (!tag && !reduction) return std::nullopt;
  std::string name = declaration.getName().str();
  if (tag && name.starts_with("k")) name.erase(0, 1);
  if (name == "FanIn") return "\"fan_in\"";
  if (name == "FanOut") return "\"fan_out\"";
  return in_quotes(llvm::StringRef(name).lower());
}

// "cfg->net.layers" as a place; nothing when the text is more than names.
std::optional<ir::Place> written_place(llvm::StringRef text) {
  const auto scope = text.rfind("::");
  if (scope != llvm::StringRef::npos) text = text.drop_front(scope + 2);
  ir::Place place;
  while (!text.empty()) {
    const llvm::StringRef name = text.take_while(
        [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front()))) return std::nullopt;
    (place.root.empty() ? place.root : place.steps.emplace_back()) = name.str();
    text = text.drop_front(name.size());
    if (!text.empty() && !text.consume_front(".") && !text.consume_front("->")) return std::nullopt;
  }
  if (place.root.empty()) return std::nullopt;
  if (place.root == "this" && !place.steps.empty()) place.root = "self";
  return place;
}

}  // namespace

void UnitContext::note(SourceLocation at, const std::string& what) {
  const std::string text =
      fmt::format("{}: {}", to_string(files.location(SourceRange(at, SourceLocation()))), what);
  if (noted.insert(text).second) notes.push_back(text);
}

// --- emitting

ir::Op FunctionLowering::start(ir::Kind kind, std::string callee) const {
  ir::Op op;
  op.kind = kind;
  op.callee = std::move(callee);
  return op;
}

ir::Operand FunctionLowering::emit(ir::Op op, const Expr* whole, const Sink& sink) {
  if (op.at.file.empty()) op.at = unit_.files.location(whole->getSourceRange());
  if (op.result_role == ir::Role::Unknown && !whole->getType().isNull())
    op.result_role = role_of(whole->getType());
  ir::Operand result = ir::Opaque{};
  if (!sink.names.empty()) {
    op.results = sink.names;
    result = sink.names.front();
  } else if (sink.wanted) {
    const ir::Place place = temporary();
    op.results = {place};
    result = place;
  }
  push({std::move(op)});
  return result;
}

ir::Operand FunctionLowering::plain(ir::Operand operand, const Expr* whole, const Sink& sink) {
  if (sink.names.empty()) return operand;
  ir::Op op = start(sink.names.size() > 1 ? ir::Kind::Unpack : ir::Kind::Assign);
  op.arguments.push_back({{}, std::move(operand)});
  if (sink.statement.isValid()) op.at = unit_.files.location(sink.statement);
  return emit(std::move(op), whole, sink);
}

// --- expressions

ir::Operand FunctionLowering::lower(const Expr* expression, const Sink& sink) {
  if (!expression) return ir::Opaque{};
  if (depth_ >= kDepthLimit) {
    unit_.note(expression->getBeginLoc(),
               fmt::format("expressions nested more than {} deep are not followed", kDepthLimit));
    return ir::Opaque{};
  }
  ++depth_;
  ir::Operand result = dispatch(strip(expression), sink);
  --depth_;
  return result;
}

ir::Operand FunctionLowering::dispatch(const Expr* e, const Sink& sink) {
  if (auto text = literal(e)) return plain(*text, e, sink);
  if (const auto* x = dyn_cast<DeclRefExpr>(e)) return named_value(*x, sink);
  if (isa<CXXThisExpr>(e)) return plain(ir::Place{"self", {}}, e, sink);
  if (const auto* x = dyn_cast<MemberExpr>(e)) {
    const ValueDecl* declaration = x->getMemberDecl();
    if (const auto* variable = dyn_cast<VarDecl>(declaration))
      return plain(variable_place(*variable), e, sink);
    if (const auto* method = dyn_cast<CXXMethodDecl>(declaration)) {
      return plain(ir::FunctionReference{method->getNameAsString()}, e, sink);
    }
    return member(x->getBase(), declaration->getNameAsString(), e, sink);
  }
  if (const auto* x = dyn_cast<CXXDependentScopeMemberExpr>(e)) {
    return member(x->isImplicitAccess() ? nullptr : x->getBase(), x->getMember().getAsString(), e,
                  sink);
  }
  if (const auto* x = dyn_cast<CallExpr>(e)) return call(*x, sink);
  if (const auto* x = dyn_cast<CXXConstructExpr>(e)) return construct(*x, sink);
  if (const auto* x = dyn_cast<BinaryOperator>(e)) return binary(*x, sink);
  if (const auto* x = dyn_cast<UnaryOperator>(e)) return unary(*x, sink);
  if (const auto* x = dyn_cast<CXXRewrittenBinaryOperator>(e)) {
    const auto parts = x->getDecomposedForm();
    return arithmetic(operator_name(parts.Opcode), {parts.LHS, parts.RHS}, e, sink);
  }
  if (const auto* x = dyn_cast<ConditionalOperator>(e)) {
    return arithmetic("select", {x->getCond(), x->getTrueExpr(), x->getFalseExpr()}, e, sink);
  }
  if (const auto* x = dyn_cast<BinaryConditionalOperator>(e)) {
    opaque_[x->getOpaqueValue()] = value(x->getCommon());
    return arithmetic("or", {x->getTrueExpr(), x->getFalseExpr()}, e, sink);
  }
  if (const auto* x = dyn_cast<OpaqueValueExpr>(e)) {
    if (const auto known = opaque_.find(x); known != opaque_.end())
      return plain(known->second, e, sink);
    return lower(x->getSourceExpr(), sink);
  }
  if (const auto* x = dyn_cast<LambdaExpr>(e)) return lambda(*x, sink);
  if (const auto* x = dyn_cast<InitListExpr>(e)) {
    // Members left out are filled in by Clang, after those that are written.
    const InitListExpr* written =
        x->isSemanticForm() && x->getSyntacticForm() ? x->getSyntacticForm() : x;
    const unsigned count = std::min(x->getNumInits(), written->getNumInits());
    return list(e, llvm::ArrayRef(const_cast<InitListExpr*>(x)->getInits(), count), sink);
  }
  if (const auto* x = dyn_cast<ParenListExpr>(e))
    return list(e, const_cast<ParenListExpr*>(x)->exprs(), sink);
  if (const auto* x = dyn_cast<CXXParenListInitExpr>(e))
    return list(e, const_cast<CXXParenListInitExpr*>(x)->getInitExprs(), sink);
  if (const auto* x = dyn_cast<ArraySubscriptExpr>(e))
    return element(x->getBase(), {x->getIdx()}, e, sink);
  if (const auto* x = dyn_cast<CXXNewExpr>(e)) {
    if (x->isArray() || !x->getInitializer()) {
      if (x->getConstructExpr()) return lower(x->getConstructExpr(), sink);
      return emit(start(ir::Kind::Call, "new"), e, sink);
    }
    return lower(x->getConstructExpr() ? x->getConstructExpr() : x->getInitializer(), sink);
  }
  if (const auto* x = dyn_cast<CXXDeleteExpr>(e)) {
    value(x->getArgument());
    return ir::Opaque{};
  }
  if (const auto* x = dyn_cast<CXXThrowExpr>(e)) {
    return_values(x->getSubExpr(), e->getSourceRange(), ir::Jump::Form::Raise);
    return ir::Opaque{};
  }
  if (const auto* x = dyn_cast<StmtExpr>(e)) {
    const auto* block = x->getSubStmt();
    llvm::SmallVector<const Stmt*, 8> parts(block->body_begin(), block->body_end());
    const Expr* last = parts.empty() ? nullptr : dyn_cast<Expr>(parts.back());
    if (last) parts.pop_back();
    sequence(parts);
    return last ? lower(last, sink) : ir::Opaque{};
  }
  if (const auto* x = dyn_cast<CXXUnresolvedConstructExpr>(e)) {
    llvm::SmallVector<const Expr*, 4> given(x->arg_begin(), x->arg_end());
    if (const CXXRecordDecl* record = own_class(x->getTypeAsWritten())) {
      return construct_class(*record, nullptr, given, e, sink);
    }
    if (given.size() == 1) return lower(given.front(), sink);
    ir::Op op = start(ir::Kind::Call, x->getTypeAsWritten().getUnqualifiedType().getAsString());
    op.arguments = arguments(given, nullptr);
    return emit(std::move(op), e, sink);
  }
  if (const auto* x = dyn_cast<CoyieldExpr>(e)) {
    return_values(x->getOperand(), e->getSourceRange(), ir::Jump::Form::Yield);
    return ir::Opaque{};
  }
  if (const auto* x = dyn_cast<CXXFoldExpr>(e)) {
    value(x->getPattern());
    return plain(ir::Opaque{}, e, sink);
  }
  if (const auto* x = dyn_cast<DependentScopeDeclRefExpr>(e)) {
    return plain(ir::Place{x->getDeclName().getAsString(), {}}, e, sink);
  }
  if (const auto* x = dyn_cast<OverloadExpr>(e)) {
    return plain(ir::FunctionReference{x->getName().getAsString()}, e, sink);
  }
  if (const auto* x = dyn_cast<CXXDefaultArgExpr>(e)) return lower(x->getExpr(), sink);
  if (isa<RecoveryExpr>(e)) return recovery(e, sink);
  // sizeof, typeid, alignof, traits, addresses of labels: nothing that training does.
  return plain(ir::Opaque{}, e, sink);
}

std::optional<ir::Literal> FunctionLowering::literal(const Expr* e) {
  if (const auto* x = dyn_cast<CXXBoolLiteralExpr>(e))
    return ir::Literal{x->getValue() ? "true" : "false"};
  if (isa<CXXNullPtrLiteralExpr, GNUNullExpr>(e)) return ir::Literal{"none"};
  if (const auto* x = dyn_cast<StringLiteral>(e)) {
    return ir::Literal{x->getCharByteWidth() == 1 ? in_quotes(x->getString()) : "\"?\""};
  }
  if (const auto* x = dyn_cast<CharacterLiteral>(e)) {
    const char c = static_cast<char>(x->getValue());
    return ir::Literal{x->getValue() < 128 ? in_quotes(llvm::StringRef(&c, 1)) : "\"?\""};
  }
  if (isa<CXXScalarValueInitExpr, ImplicitValueInitExpr>(e)) return ir::Literal{"0"};
  if (const auto* x = dyn_cast<UserDefinedLiteral>(e)) {
    if (x->getLiteralOperatorKind() == UserDefinedLiteral::LOK_Template) return std::nullopt;
    return x->getNumArgs() > 0 ? literal(strip(x->getArg(0))) : std::nullopt;
  }
  if (const auto* x = dyn_cast<UnaryOperator>(e); x && x->getOpcode() == UO_Minus) {
    const Expr* inner = strip(x->getSubExpr());
    if (!isa<IntegerLiteral, FloatingLiteral>(inner)) return std::nullopt;
    return ir::Literal{"-" + literal(inner)->text};
  }
  if (!isa<IntegerLiteral, FloatingLiteral>(e)) return std::nullopt;
  const SourceManager& sources = unit_.files.sources();
  const SourceLocation at = sources.getSpellingLoc(e->getBeginLoc());
  llvm::SmallString<32> buffer;
  if (at.isValid()) {
    const llvm::StringRef text = Lexer::getSpelling(at, buffer, sources, unit_.files.language());
    if (!text.empty() &&
        (isdigit(static_cast<unsigned char>(text.front())) || text.front() == '.')) {
      return ir::Literal{number_text(text.str())};
    }
  }
  if (const auto* x = dyn_cast<IntegerLiteral>(e)) {
    return ir::Literal{llvm::toString(x->getValue(), 10, x->getType()->isSignedIntegerType())};
  }
  llvm::SmallString<32> digits;
  cast<FloatingLiteral>(e)->getValue().toString(digits);
  return ir::Literal{std::string(digits)};
}

ir::Operand FunctionLowering::named_value(const DeclRefExpr& reference, const Sink& sink) {
  const ValueDecl* declaration = reference.getDecl();
  const std::string qualified = qualified_name(*declaration);
  if (declaration->getIdentifier() && declaration->getName() == "nullopt")
    return plain(ir::Literal{"none"}, &reference, sink);
  if (is_in_torch(*declaration)) {
    if (const auto text = lexicon::constant(qualified))
      return plain(ir::Literal{std::string(*text)}, &reference, sink);
    if (const auto text = enumeration_text(*declaration, qualified))
      return plain(ir::Literal{*text}, &reference, sink);
    if (qualified == "at::indexing::None") return plain(ir::Literal{"none"}, &reference, sink);
    if (qualified == "at::indexing::Ellipsis") return plain(ir::Literal{"..."}, &reference, sink);
  }
  if (const auto* constant = dyn_cast<EnumConstantDecl>(declaration)) {
    const auto* owner = dyn_cast<EnumDecl>(constant->getDeclContext());
    ir::Place place{constant->getNameAsString(), {}};
    if (owner && owner->isScoped())
      place = {owner->getNameAsString(), {constant->getNameAsString()}};
    return plain(place, &reference, sink);
  }
  if (const auto known = functions_.find(declaration); known != functions_.end()) {
    return plain(ir::FunctionReference{known->second}, &reference, sink);
  }
  if (isa<FunctionDecl>(declaration))
    return plain(ir::FunctionReference{declaration->getNameAsString()}, &reference, sink);
  return plain(variable_place(*declaration), &reference, sink);
}

ir::Operand FunctionLowering::member(const Expr* base, const std::string& name, const Expr* whole,
                                     const Sink& sink) {
  const ir::Operand object = base ? value(base) : ir::Operand(ir::Place{"self", {}});
  const ir::Place place = name.empty() ? member_place(object, "") : member_place(object, name);
  know(place, whole->getType());
  return plain(place, whole, sink);
}

ir::Operand FunctionLowering::arithmetic(const std::string& name,
                                         llvm::ArrayRef<const Expr*> operands, const Expr* whole,
                                         const Sink& sink) {
  ir::Op op = start(ir::Kind::Arith, name);
  const bool against_nothing =
      operands.size() == 2 && (is_null(operands[0]) || is_null(operands[1]));
  if (against_nothing && name == "eq") op.callee = "is";
  if (against_nothing && name == "ne") op.callee = "is_not";
  for (const Expr* operand : operands) op.arguments.push_back({{}, value(operand)});
  return emit(std::move(op), whole, sink);
}

ir::Operand FunctionLowering::binary(const BinaryOperator& e, const Sink& sink) {
  if (e.getOpcode() == BO_Comma) {
    effect(e.getLHS());
    return lower(e.getRHS(), sink);
  }
  if (e.isPtrMemOp()) {
    value(e.getLHS());
    return plain(ir::Opaque{}, &e, sink);
  }
  if (e.getOpcode() == BO_Assign) return assignment(e.getLHS(), e.getRHS(), &e, sink);
  const std::string name = operator_name(e.getOpcode());
  if (e.isCompoundAssignmentOp())
    return compound_assignment("i" + name, e.getLHS(), e.getRHS(), &e, sink);
  if (e.getOpcode() == BO_Shl && e.isTypeDependent()) return stream_chain(e, sink);
  return arithmetic(name, {e.getLHS(), e.getRHS()}, &e, sink);
}

ir::Operand FunctionLowering::unary(const UnaryOperator& e, const Sink& sink) {
  switch (e.getOpcode()) {
    case UO_PreInc:
    case UO_PostInc: return increment(e.getSubExpr(), true, &e, sink);
    case UO_PreDec:
    case UO_PostDec: return increment(e.getSubExpr(), false, &e, sink);
    case UO_Minus: return arithmetic("neg", {e.getSubExpr()}, &e, sink);
    case UO_LNot: return arithmetic("not", {e.getSubExpr()}, &e, sink);
    case UO_Not: return arithmetic("invert", {e.getSubExpr()}, &e, sink);
    default: return lower(e.getSubExpr(), sink);
  }
}

ir::Operand FunctionLowering::increment(const Expr* target, bool up, const Expr* whole,
                                        const Sink& sink) {
  const auto to = place(target);
  const ir::Operand operand = to ? ir::Operand(*to) : value(target);
  ir::Op op = start(ir::Kind::Arith, up ? "iadd" : "isub");
  op.arguments = {{{}, operand}, {{}, ir::Literal{"1"}}};
  const Sink into = to ? Sink::named({*to}, whole->getSourceRange()) : Sink::discard();
  emit(std::move(op), whole, into);
  return plain(operand, whole, sink);
}

// The value comes first, as the language has it. An element is read, changed and stored; a gradient
// is written; anything else with a name is given the result.
ir::Operand FunctionLowering::compound_assignment(const std::string& name, const Expr* target,
                                                  const Expr* changed, const Expr* whole,
                                                  const Sink& sink) {
  const Expr* to = strip(target);
  const ir::Operand change = value(changed);
  if (const Expr* owner = gradient_owner(to)) {
    ir::Op op = start(ir::Kind::GradWrite, name);
    op.receiver = value(owner);
    op.arguments = {{{}, change}};
    emit(std::move(op), whole, Sink::discard());
    return ir::Opaque{};
  }
  const Element element = element_of(to);
  const auto into = element.container ? std::nullopt : place(to);
  const ir::Operand before = into ? ir::Operand(*into) : value(to);
  ir::Op op = start(ir::Kind::Arith, name);
  op.arguments = {{{}, before}, {{}, change}};
  op.result_role = role_of(to->getType());
  if (into) {
    emit(std::move(op), whole, Sink::named({*into}, whole->getSourceRange()));
    return plain(*into, whole, sink);
  }
  if (!element.container) return emit(std::move(op), whole, sink);
  const ir::Operand after = emit(std::move(op), whole, Sink::operand());
  store(element, after, whole);
  return plain(after, whole, sink);
}

// d[k] = v. A gradient's element is a change of the gradient.
void FunctionLowering::store(const Element& element, const ir::Operand& stored, const Expr* whole) {
  ir::Op op = start(ir::Kind::Store);
  if (const Expr* owner = gradient_owner(element.container)) {
    op = start(ir::Kind::GradWrite, "store");
    op.receiver = value(owner);
  } else {
    const auto of = place(element.container);
    op.receiver = of ? ir::Operand(*of) : value(element.container);
  }
  std::vector<ir::Argument> keys;
  for (const Expr* key : element.keys) keys.push_back({{}, value(key)});
  if (keys.size() > 1) {
    // d[i, j] is one key.
    ir::Op key = start(ir::Kind::Pack, "tuple");
    key.result_role = ir::Role::Container;
    key.arguments = std::move(keys);
    keys = {{{}, emit(std::move(key), whole, Sink::operand())}};
  }
  op.arguments = std::move(keys);
  op.arguments.push_back({{}, stored});
  emit(std::move(op), whole, Sink::discard());
}

ir::Operand FunctionLowering::element(const Expr* container, llvm::ArrayRef<const Expr*> keys,
                                      const Expr* whole, const Sink& sink) {
  // x.sizes()[0] is x.size(0).
  const auto* sizes = dyn_cast<CXXMemberCallExpr>(strip(container));
  const CXXMethodDecl* method = sizes ? sizes->getMethodDecl() : nullptr;
  if (method && method->getIdentifier() && method->getName() == "sizes" && keys.size() == 1 &&
      literal(strip(keys.front())) &&
      role_of(sizes->getImplicitObjectArgument()->getType()) == ir::Role::Tensor) {
    ir::Op asked = start(ir::Kind::Query, "size");
    asked.receiver = value(sizes->getImplicitObjectArgument());
    asked.arguments = {{{}, value(keys.front())}};
    return emit(std::move(asked), whole, sink);
  }
  ir::Op op = start(ir::Kind::Index);
  op.receiver = value(container);
  for (const Expr* key : keys) op.arguments.push_back({{}, value(key)});
  return emit(std::move(op), whole, sink);
}

ir::Operand FunctionLowering::list(const Expr* whole, llvm::ArrayRef<Expr*> elements,
                                   const Sink& sink) {
  const CXXRecordDecl* record = whole->getType().isNull() ? nullptr : own_class(whole->getType());
  // std::array<int, 2>{{1, 2}}
  if (record && is_sequence(record) && elements.size() == 1) {
    if (const auto* inner = dyn_cast<InitListExpr>(strip(elements.front()))) {
      return list(
          inner, llvm::ArrayRef(const_cast<InitListExpr*>(inner)->getInits(), inner->getNumInits()),
          sink);
    }
  }
  if (record && !is_sequence(record) && !is_tuple(record) && !is_map(record)) {
    return construct_class(*record, nullptr,
                           llvm::ArrayRef<const Expr*>(elements.data(), elements.size()), whole,
                           sink);
  }
  ir::Op op = start(ir::Kind::Pack, record && is_tuple(record) ? "tuple" : "list");
  for (const Expr* element : elements) {
    if (!isa<ImplicitValueInitExpr>(element)) op.arguments.push_back({{}, value(element)});
  }
  op.result_role = ir::Role::Container;
  return emit(std::move(op), whole, sink);
}

ir::Operand FunctionLowering::lambda(const LambdaExpr& e, const Sink& sink) {
  auto function = std::make_shared<ir::Function>();
  function->at = unit_.files.location(e.getSourceRange());
  std::string name = "lambda" + std::to_string(lambdas_ + 1);
  if (!sink.names.empty() && sink.names.front().steps.empty()) {
    name = sink.names.front().root;
  } else {
    ++lambdas_;
  }
  function->name = name;
  for (const auto& [capture, init] : llvm::zip(e.captures(), e.capture_inits())) {
    if (!capture.capturesVariable() || !e.isInitCapture(&capture) || !init) continue;
    const ir::Place held{capture.getCapturedVar()->getNameAsString(), {}};
    if (const auto* same = dyn_cast<DeclRefExpr>(strip(init));
        same && same->getDecl()->getNameAsString() == held.root)
      continue;
    lower(init, Sink::named({held}, init->getSourceRange()));
  }
  const CXXMethodDecl* body = e.getCallOperator();
  if (const FunctionTemplateDecl* generic = e.getDependentCallOperator()) {
    for (const FunctionDecl* instance : generic->specializations()) {
      if (instance->hasBody()) body = cast<CXXMethodDecl>(instance);
    }
  }
  FunctionLowering inner(unit_, *function);
  inner.functions_ = functions_;
  inner.depth_ = depth_;
  inner.parameters(*body);
  inner.body(body->getBody() ? body->getBody() : e.getBody());
  push({ir::Define{function}});
  if (!sink.names.empty() && sink.names.front().steps.empty()) return ir::FunctionReference{name};
  return plain(ir::FunctionReference{name}, &e, sink);
}

// What Clang could not type: the parts are lowered, the name before the parentheses is kept.
ir::Operand FunctionLowering::recovery(const Expr* whole, const Sink& sink) {
  std::vector<ir::Argument> parts;
  for (const Stmt* child : whole->children()) {
    if (const auto* part = dyn_cast_or_null<Expr>(child)) parts.push_back({{}, value(part)});
  }
  const std::string text = unit_.files.text(whole->getSourceRange());
  const auto open = text.find('(');
  if (open == std::string::npos) {
    if (const auto named = written_place(text)) return plain(*named, whole, sink);
    return plain(parts.size() == 1 ? parts.front().value : ir::Operand(ir::Opaque{}), whole, sink);
  }
  auto end = open;
  while (end > 0 && std::isspace(static_cast<unsigned char>(text[end - 1]))) --end;
  auto begin = end;
  while (begin > 0 &&
         (std::isalnum(static_cast<unsigned char>(text[begin - 1])) || text[begin - 1] == '_'))
    --begin;
  ir::Op op = start(ir::Kind::Call, begin < end ? text.substr(begin, end - begin) : "?");
  for (ir::Argument& part : parts) {
    const auto* function = std::get_if<ir::FunctionReference>(&part.value);
    if (!function || function->name != op.callee) op.arguments.push_back(std::move(part));
  }
  return emit(std::move(op), whole, sink);
}

}  // namespace forerun::cpp
