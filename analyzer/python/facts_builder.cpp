#include "analyzer/lexicon/lexicon.h"
#include "analyzer/python/facts.h"

namespace forerun::python {

class FactsBuilder {
 public:
  FactsBuilder(Facts& facts, const Tree& tree) : facts_(facts), tree_(tree) {}

  void build() {
    facts_.scopes.push_back({ScopeKind::Module, 0, -1, -1, -1, {}});
    open_.push_back(0);
    for (Id id = 1; id < tree_.size(); ++id) {
      while (open_.size() > 1 && id >= tree_.node(scope().node).after) open_.pop_back();
      visit(id);
    }
    for (ClassInfo& each : facts_.classes) resolve_bases(each);
    for (const Use& use : used_) {
      if (Variable* named = used_variable(use)) named->uses |= use.bits;
    }
  }

 private:
  int current() const { return open_.back(); }
  Scope& scope() { return facts_.scopes[static_cast<std::size_t>(open_.back())]; }

  Variable& variable(int scope, std::string_view name) {
    auto [found, fresh] = facts_.table_.try_emplace({scope, name}, nullptr);
    if (fresh) {
      found->second = &facts_.variables_.emplace_back();
      found->second->name = found->second->place = name;
      facts_.scopes[static_cast<std::size_t>(scope)].variables.push_back(found->second);
    }
    return *found->second;
  }

  void visit(Id id) {
    switch (tree_.type(id)) {
      case Type::Import: return import_modules(id);
      case Type::ImportFrom: return import_names(id);
      case Type::ClassDefinition: return enter_class(id);
      case Type::FunctionDefinition: return enter_function(id);
      case Type::Lambda: return enter_lambda(id);
      case Type::Assignment: return assignment(id);
      case Type::AugmentedAssignment:
        return bind(tree_.child(id, Field::Left), How::Augmented, tree_.child(id, Field::Right),
                    -1);
      case Type::NamedExpression:
        return bind(tree_.child(id, Field::Name), How::Value, tree_.child(id, Field::Value), -1);
      case Type::For:
      case Type::ForIn: return loop(id);
      case Type::AsPattern: return as_pattern(id);
      case Type::Global:
      case Type::Nonlocal: return outer_names(id);
      case Type::Attribute: return attribute(id);
      case Type::Return: return returned(id);
      case Type::Yield: return yielded();
      case Type::CasePattern: return capture(id);
      default: return;
    }
  }

  // --- imports
  void import_modules(Id id) {
    for (Id each : Children(tree_, id)) {
      if (tree_.type(each) == Type::AliasedImport) {
        const Id name = tree_.child(each, Field::Name), alias = tree_.child(each, Field::Alias);
        if (name == 0 || alias == 0) continue;
        facts_.modules.emplace_back(tree_.text(name));
        bind_import(tree_.text(alias), dotted(name));
      } else if (tree_.type(each) == Type::DottedName) {
        facts_.modules.emplace_back(tree_.text(each));
        const std::string_view text = tree_.text(each);
        const std::string_view root = text.substr(0, text.find_first_of(". \t"));
        bind_import(root, std::string(root));
      }
    }
  }

  void import_names(Id id) {
    const Id module = tree_.child(id, Field::ModuleName);
    if (module == 0) return;
    const std::string path = dotted(module);
    facts_.modules.push_back(path);
    for (Id each : Children(tree_, id)) {
      if (each == module) continue;
      if (tree_.type(each) == Type::WildcardImport) facts_.stars.push_back(path);
      if (tree_.type(each) == Type::DottedName)
        bind_import(tree_.text(each), joined(path, dotted(each)));
      if (tree_.type(each) != Type::AliasedImport) continue;
      const Id name = tree_.child(each, Field::Name), alias = tree_.child(each, Field::Alias);
      if (name != 0 && alias != 0) bind_import(tree_.text(alias), joined(path, dotted(name)));
    }
  }

  static std::string joined(const std::string& path, const std::string& name) {
    return path.ends_with('.') ? path + name : path + "." + name;
  }

  std::string dotted(Id id) const {
    std::string text;
    for (const char c : tree_.text(id)) {
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\\') text += c;
    }
    return text;
  }

  void bind_import(std::string_view name, std::string qualified) {
    Variable& bound = variable(current(), name);
    bound.import = static_cast<int>(facts_.imports.size());
    facts_.imports.push_back(std::move(qualified));
  }

  // --- definitions
  int open_scope(ScopeKind kind, Id node, int cls, int function) {
    const int made = static_cast<int>(facts_.scopes.size());
    facts_.scopes.push_back({kind, node, current(), cls, function, {}});
    facts_.scope_by_node_[node] = made;
    open_.push_back(made);
    return made;
  }

  void enter_class(Id id) {
    const Id name = tree_.child(id, Field::Name);
    const int index = static_cast<int>(facts_.classes.size());
    facts_.classes.emplace_back();
    ClassInfo& made = facts_.classes.back();
    made.node = id;
    made.name = name != 0 ? tree_.text(name) : std::string_view{};
    if (name != 0) variable(current(), made.name).cls = index;
    facts_.class_by_node_[id] = index;
    made.scope = open_scope(ScopeKind::Class, id, index, -1);
  }

  void enter_function(Id id) {
    const Id name = tree_.child(id, Field::Name);
    const int index = static_cast<int>(facts_.functions.size());
    facts_.functions.emplace_back();
    FunctionInfo& made = facts_.functions.back();
    made.node = id;
    made.name = name != 0 ? tree_.text(name) : std::string_view{};
    const bool is_method = scope().kind == ScopeKind::Class;
    if (is_method) {
      made.cls = scope().cls;
      // The last definition counts, but a property's setter does not hide its getter.
      facts_.classes[static_cast<std::size_t>(made.cls)].methods[made.name] = index;
    }
    read_decorators(id, made);
    Variable& bound = variable(current(), made.name);
    bound.function = index;
    facts_.function_by_node_[id] = index;
    made.scope = open_scope(ScopeKind::Function, id, made.cls, index);
    const Id parameters = tree_.child(id, Field::Parameters);
    if (parameters == 0) return;
    int position = 0;
    for (Id each : Children(tree_, parameters))
      parameter(each, position, &facts_.functions[static_cast<std::size_t>(index)]);
  }

  void read_decorators(Id id, FunctionInfo& made) const {
    const Id parent = tree_.parent(id);
    if (tree_.type(parent) != Type::DecoratedDefinition) return;
    for (Id each : Children(tree_, parent)) {
      if (tree_.type(each) != Type::Decorator) continue;
      const std::string_view text = tree_.text(each);
      made.is_static |= text == "@staticmethod";
      made.is_classmethod |= text == "@classmethod";
      made.is_property |=
          text == "@property" || text.ends_with(".setter") || text == "@cached_property";
    }
  }

  void enter_lambda(Id id) {
    open_scope(ScopeKind::Lambda, id, -1, -1);
    const Id parameters = tree_.child(id, Field::Parameters);
    if (parameters == 0) return;
    int position = 0;
    for (Id each : Children(tree_, parameters)) parameter(each, position, nullptr);
  }

  void parameter(Id id, int& position, FunctionInfo* function) {
    Id name = id;
    switch (tree_.type(id)) {
      case Type::Identifier: break;
      case Type::DefaultParameter:
      case Type::TypedDefaultParameter: name = tree_.child(id, Field::Name); break;
      case Type::TypedParameter: name = tree_.first_child(id); break;
      case Type::ListSplatPattern:
      case Type::DictionarySplatPattern: break;
      default: return;
    }
    if (name != 0 && (tree_.type(name) == Type::ListSplatPattern ||
                      tree_.type(name) == Type::DictionarySplatPattern)) {
      name = tree_.first_child(name);
    }
    if (name == 0 || tree_.type(name) != Type::Identifier) return;
    Variable& made = variable(current(), tree_.text(name));
    made.parameter = position;
    made.annotation = tree_.child(id, Field::Type);
    made.default_value = tree_.child(id, Field::Value);
    if (position++ != 0 || function == nullptr || function->cls < 0 || function->is_static) return;
    function->has_self = true;
    (function->is_classmethod ? made.names_class : made.self_class) = function->cls;
  }

  void resolve_bases(ClassInfo& each) {
    const Id list = tree_.child(each.node, Field::Superclasses);
    if (list == 0) return;
    const int outer = facts_.scopes[static_cast<std::size_t>(each.scope)].parent;
    for (Id base : Children(tree_, list)) {
      if (tree_.type(base) == Type::Subscript)
        base = tree_.child(base, Field::Value);  // Generic[T]
      if (tree_.type(base) != Type::Identifier && tree_.type(base) != Type::Attribute) continue;
      Base made;
      const std::string_view text = tree_.text(base);
      made.name = text.substr(text.rfind('.') + 1);
      made.qualified = facts_.qualified(base, outer);
      Variable* found = tree_.type(base) == Type::Identifier ? facts_.find(outer, text) : nullptr;
      if (found != nullptr && found->cls >= 0 &&
          facts_.classes[static_cast<std::size_t>(found->cls)].node != each.node) {
        made.cls = found->cls;
        made.qualified.clear();
      }
      each.bases.push_back(std::move(made));
    }
  }

  // --- what names are given
  void assignment(Id id) {
    const Id left = tree_.child(id, Field::Left), type = tree_.child(id, Field::Type);
    Id right = tree_.child(id, Field::Right);
    if (type != 0) annotate(left, type);
    while (right != 0 && tree_.type(right) == Type::Assignment)
      right = tree_.child(right, Field::Right);
    if (right != 0) bind(left, How::Value, right, -1);
  }

  void annotate(Id target, Id type) {
    if (target == 0) return;
    Variable* named = target_variable(target);
    if (named != nullptr) named->annotation = type;
  }

  // The variable of a name, or of self.x in a method; null for other targets.
  Variable* target_variable(Id target) {
    if (tree_.type(target) == Type::Identifier) {
      const std::string_view name = tree_.text(target);
      Variable& here = variable(current(), name);
      if (!here.elsewhere) return &here;
      for (int outer = scope().parent; outer >= 0;
           outer = facts_.scopes[static_cast<std::size_t>(outer)].parent) {
        Variable* found = facts_.find_here(outer, name);
        if (found != nullptr && !found->elsewhere) return found;
      }
      return &variable(0, name);
    }
    if (tree_.type(target) != Type::Attribute) return nullptr;
    const Id object = tree_.child(target, Field::Object),
             name = tree_.child(target, Field::Attribute);
    if (object == 0 || name == 0 || tree_.type(object) != Type::Identifier) return nullptr;
    const Variable* self = facts_.find(current(), tree_.text(object));
    if (self == nullptr || self->self_class < 0) return nullptr;
    Variable& member = variable(facts_.classes[static_cast<std::size_t>(self->self_class)].scope,
                                tree_.text(name));
    member.place = tree_.text(target);
    return &member;
  }

  void bind(Id target, How how, Id value, int index) {
    if (target == 0) return;
    switch (tree_.type(target)) {
      case Type::PatternList:
      case Type::TuplePattern:
      case Type::ListPattern:
      case Type::ExpressionList:
      case Type::Tuple:
      case Type::List: return bind_each(target, how, value, index);
      case Type::ListSplatPattern:
      case Type::ListSplat:
      case Type::Parenthesized:
      case Type::AsPatternTarget: return bind(tree_.first_child(target), how, value, index);
      default: break;
    }
    Variable* named = target_variable(target);
    if (named == nullptr) return;
    add(*named, {how, value, index, current(), -1});
  }

  void bind_each(Id targets, How how, Id value, int index) {
    // a, b = x, y gives each its own value; anything else gives each a part of the whole.
    const bool literal =
        how == How::Value && value != 0 && index < 0 &&
        (tree_.type(value) == Type::Tuple || tree_.type(value) == Type::ExpressionList ||
         tree_.type(value) == Type::List) &&
        tree_.count(value) == tree_.count(targets);
    Id part = literal ? tree_.first_child(value) : 0;
    int at = 0;
    for (Id each : Children(tree_, targets)) {
      if (literal) {
        bind(each, How::Value, part, -1);
        part = tree_.next(value, part);
      } else {
        bind(each, how == How::Value ? How::Unpacked : how, value, index < 0 ? at : index);
      }
      ++at;
    }
  }

  void add(Variable& named, Fact fact) {
    const int made = static_cast<int>(facts_.facts.size());
    facts_.facts.push_back(fact);
    if (named.first_fact < 0) named.first_fact = made;
    if (named.last_fact >= 0) facts_.facts[static_cast<std::size_t>(named.last_fact)].next = made;
    named.last_fact = made;
  }

  void loop(Id id) {
    bind(tree_.child(id, Field::Left), How::Element, tree_.child(id, Field::Right), -1);
  }

  void as_pattern(Id id) {
    const Id value = tree_.first_child(id);
    const Id target = tree_.child(id, Field::Alias);
    if (value == 0 || target == 0) return;
    const bool context = in_with(id);
    bind(target, context ? How::Context : How::Opaque, context ? value : 0, -1);
  }

  bool in_with(Id id) const {
    for (Id at = tree_.parent(id); at != 0; at = tree_.parent(at)) {
      const Type type = tree_.type(at);
      if (type == Type::WithItem || type == Type::WithClause) return true;
      if (type != Type::Tuple && type != Type::Parenthesized) return false;
    }
    return false;
  }

  void capture(Id id) {
    // case Name: binds; case a.b: compares.
    for (Id inside = id + 1; inside < tree_.node(id).after; ++inside) {
      const bool rest = tree_.type(inside) == Type::Identifier &&
                        tree_.type(tree_.parent(inside)) == Type::SplatPattern;
      if (tree_.type(inside) != Type::DottedName && !rest) continue;
      if (tree_.text(inside).find('.') != std::string_view::npos) continue;
      add(variable(current(), tree_.text(inside)), {How::Opaque, 0, -1, current(), -1});
    }
  }

  void outer_names(Id id) {
    for (Id each : Children(tree_, id)) {
      if (tree_.type(each) == Type::Identifier)
        variable(current(), tree_.text(each)).elsewhere = true;
    }
  }

  // --- what values are used for
  void attribute(Id id) {
    const Id object = tree_.child(id, Field::Object), name = tree_.child(id, Field::Attribute);
    if (object == 0 || name == 0) return;
    const std::string_view text = facts_.place_text(object);
    if (text.empty()) return;
    const unsigned bits = use_bits(tree_.text(name), tree_.field(id) == Field::Function);
    if (bits == 0) return;
    facts_.uses[text] |= bits;
    used_.push_back({object, current(), bits});
  }

  static unsigned use_bits(std::string_view member, bool called) {
    if (called && member == "zero_grad") return kUsesZeroGrad;
    if (called && member == "step") return kUsesStep;
    if (called && member == "scale") return kUsesScale;
    if (called && member == "update") return kUsesUpdate;
    const ir::Role role = lexicon::role_from_use(member);
    if (role == ir::Role::Unknown) return 0;
    // Only `param_groups` is read without a call; `args.train` says nothing.
    if (!called && member != "param_groups") return 0;
    return 1U << static_cast<unsigned>(role);
  }

  FunctionInfo* enclosing_function() {
    const int function = scope().function;
    return function < 0 ? nullptr : &facts_.functions[static_cast<std::size_t>(function)];
  }

  void returned(Id id) {
    const Id value = tree_.first_child(id);
    if (FunctionInfo* function = enclosing_function(); function != nullptr && value != 0) {
      function->returns.push_back(value);
    }
  }

  void yielded() {
    if (FunctionInfo* function = enclosing_function()) function->is_generator = true;
  }

  Facts& facts_;
  const Tree& tree_;
  struct Use {
    Id object;
    int scope;
    unsigned bits;
  };
  // The variable of a receiver: a name, or a member of the method's own object.
  Variable* used_variable(const Use& use) {
    if (tree_.type(use.object) == Type::Identifier)
      return facts_.find(use.scope, tree_.text(use.object));
    const Id object = tree_.child(use.object, Field::Object),
             name = tree_.child(use.object, Field::Attribute);
    if (object == 0 || name == 0 || tree_.type(object) != Type::Identifier) return nullptr;
    const Variable* self = facts_.find(use.scope, tree_.text(object));
    if (self == nullptr || self->self_class < 0) return nullptr;
    return facts_.find_member(self->self_class, tree_.text(name));
  }

  std::vector<int> open_;
  std::vector<Use> used_;  // resolved at the end, when every scope knows its names
};

Facts::Facts(const Tree& parsed) : tree(parsed) { FactsBuilder(*this, parsed).build(); }

}  // namespace forerun::python
