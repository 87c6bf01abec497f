#include "analyzer/ir/parse.h"

#include <cctype>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "core/nearest.h"

namespace forerun::ir {
namespace {

struct Token {
  enum class Form { Word, Text, Mark, End };
  Form form = Form::End;
  std::string_view text;
  int column = 0;      // 1-based
  bool glued = false;  // no space before it
};

struct Line {
  int number = 0;  // 1-based
  int depth = 0;
  std::string_view text;  // without indentation
  int column = 1;         // of its first byte
};

bool is_mark(char c) { return c == '(' || c == ')' || c == ',' || c == '='; }

class Parser {
 public:
  Parser(std::string_view text, const std::string& path) : text_(text) { program_.path = path; }

  Result<Program> run() {
    if (!split_lines()) return *problem_;
    while (next_ < lines_.size()) {
      if (!top_level()) return *problem_;
    }
    return std::move(program_);
  }

 private:
  // --- errors
  // -------------------------------------------------------------------------------------
  bool fail(int line, int column, std::string message, std::string accepted = {}) {
    problem_ =
        error_at({program_.path, {line, column}, {}}, std::move(message), std::move(accepted));
    return false;
  }
  bool fail(const Token& token, const std::string& expected) {
    const std::string found =
        token.form == Token::Form::End ? "the line ends" : fmt::format("found '{}'", token.text);
    return fail(line_->number, token.column, fmt::format("{}, expected {}", found, expected));
  }

  // --- lines
  // --------------------------------------------------------------------------------------
  bool split_lines() {
    int number = 0;
    for (std::size_t at = 0; at < text_.size();) {
      std::size_t end = text_.find('\n', at);
      if (end == std::string_view::npos) end = text_.size();
      if (!add_line(text_.substr(at, end - at), ++number)) return false;
      at = end + 1;
    }
    return true;
  }

  bool add_line(std::string_view line, int number) {
    const std::size_t indent = line.find_first_not_of(' ');
    if (indent == std::string_view::npos) return true;
    if (lines_.size() >= kMaxLines)
      return fail(number, 1, fmt::format("more than {} lines", kMaxLines));
    if (indent % 2 != 0)
      return fail(number, static_cast<int>(indent) + 1,
                  "indentation is not a multiple of two spaces");
    if (indent / 2 > kMaxDepth)
      return fail(number, 1, fmt::format("nested deeper than {} blocks", kMaxDepth));
    lines_.push_back(
        {number, static_cast<int>(indent / 2), line.substr(indent), static_cast<int>(indent) + 1});
    return true;
  }

  const Line* peek() const { return next_ < lines_.size() ? &lines_[next_] : nullptr; }

  // --- tokens
  // -------------------------------------------------------------------------------------
  bool tokenize(const Line& line) {
    line_ = &line;
    tokens_.clear();
    at_ = 0;
    bool glued = false;
    for (std::size_t i = 0; i < line.text.size();) {
      if (line.text[i] == ' ') {
        glued = false;
        ++i;
        continue;
      }
      const int column = line.column + static_cast<int>(i);
      std::size_t end = i + 1;
      Token::Form form = Token::Form::Mark;
      if (line.text[i] == '"') {
        form = Token::Form::Text;
        while (end < line.text.size() && line.text[end] != '"')
          end += line.text[end] == '\\' ? 2 : 1;
        if (end >= line.text.size())
          return fail(line.number, column, "text without a closing quote");
        ++end;
      } else if (!is_mark(line.text[i])) {
        form = Token::Form::Word;
        while (end < line.text.size() && line.text[end] != ' ' && line.text[end] != '"' &&
               !is_mark(line.text[end]))
          ++end;
      }
      tokens_.push_back({form, line.text.substr(i, end - i), column, glued});
      glued = true;
      i = end;
    }
    return true;
  }

  Token token(std::size_t ahead = 0) const {
    if (at_ + ahead < tokens_.size()) return tokens_[at_ + ahead];
    return {Token::Form::End, "", line_->column + static_cast<int>(line_->text.size()), false};
  }
  bool is(std::string_view mark, std::size_t ahead = 0) const {
    return token(ahead).form != Token::Form::Text && token(ahead).text == mark;
  }
  bool take(std::string_view mark) {
    if (!is(mark)) return false;
    ++at_;
    return true;
  }
  bool end_of_line() { return at_ >= tokens_.size() || fail(token(), "the end of the line"); }
  Location here() const {
    return {program_.path,
            {line_->number, line_->column},
            {line_->number, line_->column + static_cast<int>(line_->text.size())}};
  }

  // --- operands
  // -----------------------------------------------------------------------------------
  static bool is_literal(std::string_view word) {
    if (word == "true" || word == "false" || word == "none") return true;
    const char c = word.front();
    return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.' || c == '+';
  }

  bool place(std::string_view word, int column, Place& result) {
    std::size_t i = word.find_first_of(".[");
    result.root = std::string(word.substr(0, i));
    if (result.root.empty())
      return fail(line_->number, column, fmt::format("'{}' has no name", word));
    while (i != std::string_view::npos && i < word.size()) {
      if (word[i] == '[') {
        if (word.substr(i, 2) != "[]")
          return fail(line_->number, column, fmt::format("'{}': expected [] for an element", word));
        result.steps.emplace_back("[]");
        i += 2;
        if (i < word.size() && word[i] != '.' && word[i] != '[')
          return fail(line_->number, column, fmt::format("'{}': expected . or [] after []", word));
        continue;
      }
      const std::size_t end = word.find_first_of(".[", i + 1);
      const std::string_view step =
          word.substr(i + 1, end == std::string_view::npos ? end : end - i - 1);
      if (step.empty())
        return fail(line_->number, column, fmt::format("'{}' has an empty member", word));
      result.steps.emplace_back(step);
      i = end;
    }
    return true;
  }

  bool operand(Operand& result) {
    const Token t = token();
    if (t.form == Token::Form::Text) {
      result = Literal{std::string(t.text)};
    } else if (t.form != Token::Form::Word) {
      return fail(t, "a value");
    } else if (t.text == "?") {
      result = Opaque{};
    } else if (t.text.front() == '&' && t.text.size() > 1) {
      result = FunctionReference{std::string(t.text.substr(1))};
    } else if (is_literal(t.text)) {
      result = Literal{std::string(t.text)};
    } else {
      Place where;
      if (!place(t.text, t.column, where)) return false;
      result = std::move(where);
    }
    ++at_;
    return true;
  }

  bool argument(Argument& result) {
    Token t = token();
    if (t.form == Token::Form::Word && is("=", 1) && token(1).glued) {
      result.name = std::string(t.text);
      at_ += 2;
      return operand(result.value);
    }
    if (t.form == Token::Form::Word && t.text.front() == '*') {
      result.name = t.text.substr(0, 2) == "**" ? "**" : "*";
      t.text.remove_prefix(result.name.size());
      t.column += static_cast<int>(result.name.size());
      if (t.text.empty()) return fail(t, "a value after the star");
      tokens_[at_] = t;
    }
    return operand(result.value);
  }

  // "(a, name=b)"; the opening parenthesis is the current token.
  bool arguments(std::vector<Argument>& result) {
    if (!take("(")) return fail(token(), "'('");
    if (take(")")) return true;
    do {
      Argument one;
      if (!argument(one)) return false;
      result.push_back(std::move(one));
    } while (take(","));
    return take(")") || fail(token(), "',' or ')'");
  }

  bool places(std::vector<Place>& result) {
    do {
      const Token t = token();
      Place one;
      if (t.form != Token::Form::Word) return fail(t, "a name");
      if (!place(t.text, t.column, one)) return false;
      result.push_back(std::move(one));
      ++at_;
    } while (take(","));
    return true;
  }

  bool operands(std::vector<Operand>& result) {
    if (at_ >= tokens_.size()) return true;
    do {
      Operand one;
      if (!operand(one)) return false;
      result.push_back(std::move(one));
    } while (take(","));
    return true;
  }

  // --- statements
  // ---------------------------------------------------------------------------------
  bool top_level() {
    const Line& line = lines_[next_];
    if (line.text.front() == '#') {
      ++next_;
      return directive(line, nullptr);
    }
    if (line.depth != 0)
      return fail(line.number, line.column, "indented deeper than what is around it");
    if (!tokenize(line)) return false;
    if (!is("function")) return fail(token(), "'function'");
    Function function;
    if (!parse_function(function)) return false;
    program_.functions.push_back(std::move(function));
    return true;
  }

  bool parse_function(Function& function) {
    const int depth = line_->depth;
    function.at = here();
    ++at_;
    const Token name_token = token();
    if (name_token.form != Token::Form::Word) return fail(name_token, "the function's name");
    function.name = std::string(name_token.text);
    if (const auto dot = function.name.rfind('.'); dot != std::string::npos)
      function.owner = function.name.substr(0, dot);
    ++at_;
    if (!take("(")) return fail(token(), "'('");
    while (!take(")")) {
      const Token t = token();
      if (t.form != Token::Form::Word) return fail(t, "a parameter or ')'");
      function.parameters.emplace_back(t.text);
      ++at_;
      if (!take(",") && !is(")")) return fail(token(), "',' or ')'");
    }
    if (!end_of_line()) return false;
    ++next_;
    Function* around = std::exchange(function_, &function);
    const bool fine = block(function.body, depth + 1);
    function_ = around;
    return fine;
  }

  // Every statement at `depth` up to the first line that is shallower.
  bool block(Block& result, int depth) {
    while (const Line* line = peek()) {
      if (line->text.front() == '#') {
        ++next_;
        if (!directive(*line, function_)) return false;
        continue;
      }
      if (line->depth < depth) return true;
      if (line->depth > depth)
        return fail(line->number, line->column, "indented deeper than what is around it");
      if (!tokenize(*line)) return false;
      if (is_part()) return true;
      if (!statement(result)) return false;
    }
    return true;
  }

  // A word alone on its line that continues a construct.
  bool is_part() const {
    if (tokens_.size() != 1) return false;
    for (const std::string_view word : {"else", "head", "otherwise", "handler", "finally"}) {
      if (is(word)) return true;
    }
    return false;
  }

  bool part(std::string_view word, int depth, Block& result) {
    const Line* line = peek();
    if (line == nullptr || line->depth != depth || line->text != word) return true;
    ++next_;
    return block(result, depth + 1);
  }

  bool statement(Block& result) {
    const bool assigned = is("=", 1) || is(",", 1);
    if (!assigned && is("loop")) return parse_loop(result);
    if (!assigned && is("branch")) return parse_branch(result);
    if (!assigned && is("scope")) return parse_scope(result);
    if (!assigned && is("try")) return parse_try(result);
    if (!assigned && is("function")) {
      auto function = std::make_shared<Function>();
      if (!parse_function(*function)) return false;
      result.push_back({Define{std::move(function)}});
      return true;
    }
    for (const Jump::Form form : {Jump::Form::Return, Jump::Form::Break, Jump::Form::Continue,
                                  Jump::Form::Raise, Jump::Form::Yield}) {
      if (assigned || !is(name(form))) continue;
      Jump jump{form, {}, here()};
      ++at_;
      if (!operands(jump.values) || !end_of_line()) return false;
      ++next_;
      result.push_back({std::move(jump)});
      return true;
    }
    Op op;
    if (!operation(op)) return false;
    ++next_;
    result.push_back({std::move(op)});
    return true;
  }

  bool operation(Op& op) {
    op.at = here();
    if (is("=", 1) || is(",", 1)) {
      if (!places(op.results)) return false;
      if (!take("=")) return fail(token(), "'='");
    }
    const Token first = token();
    if (first.form == Token::Form::End) return fail(first, "an operation");
    const bool alone = at_ + 1 == tokens_.size();
    const std::size_t colon =
        first.form == Token::Form::Word ? first.text.find(':') : std::string_view::npos;
    const auto kind = first.form == Token::Form::Word ? kind_from_name(first.text.substr(0, colon))
                                                      : std::nullopt;
    // `x = loss` gives x the value of a variable called loss; only a clock is read without naming
    // anything.
    const bool assignment =
        !op.results.empty() && alone && colon == std::string_view::npos && !(kind == Kind::Clock);
    if (assignment || (!op.results.empty() && !kind && alone)) return assign(op);
    if (!kind) return unknown_kind(first);
    op.kind = *kind;
    if (colon != std::string_view::npos) op.callee = std::string(first.text.substr(colon + 1));
    ++at_;
    if (at_ < tokens_.size() && !is("(")) {
      op.receiver.emplace(Opaque{});
      if (!operand(*op.receiver)) return false;
    }
    if (is("(") && !arguments(op.arguments)) return false;
    return end_of_line();
  }

  bool assign(Op& op) {
    op.kind = Kind::Assign;
    Argument value;
    if (!operand(value.value)) return false;
    op.arguments.push_back(std::move(value));
    return end_of_line();
  }

  bool unknown_kind(const Token& word) {
    std::vector<std::string> known;
#define KIND(enumerator, text, meaning) known.emplace_back(text);
#include "analyzer/ir/kinds.def"
    const std::string typed(word.text.substr(0, word.text.find(':')));
    const auto close = nearest(typed, known);
    return fail(line_->number, word.column, fmt::format("unknown operation '{}'", typed),
                close ? fmt::format("did you mean '{}'?", *close)
                      : "an operation of analyzer/ir/kinds.def");
  }

  bool parse_loop(Block& result) {
    Loop loop;
    loop.at = here();
    const int depth = line_->depth;
    loop.form = Loop::Form::While;
    ++at_;
    if (take("while")) {
      loop.condition.emplace(Opaque{});
      if (!operand(*loop.condition)) return false;
    } else if (at_ < tokens_.size()) {
      if (!bounded_loop(loop)) return false;
    }
    if (!end_of_line()) return false;
    ++next_;
    if (loop.form == Loop::Form::While && !part("head", depth, loop.head)) return false;
    if (!block(loop.body, depth + 1) || !part("otherwise", depth, loop.otherwise)) return false;
    result.push_back({std::move(loop)});
    return true;
  }

  bool bounded_loop(Loop& loop) {
    if (!is("in") && !is("to") && !places(loop.targets)) return false;
    if (!is("in") && !is("to")) return fail(token(), "'in' or 'to'");
    loop.form = is("in") ? Loop::Form::Each : Loop::Form::Counted;
    ++at_;
    loop.iterable.emplace(Opaque{});
    return operand(*loop.iterable);
  }

  bool parse_branch(Block& result) {
    Branch branch;
    branch.at = here();
    const int depth = line_->depth;
    ++at_;
    if (!operand(branch.condition) || !end_of_line()) return false;
    ++next_;
    if (!block(branch.then_body, depth + 1) || !part("else", depth, branch.else_body)) return false;
    result.push_back({std::move(branch)});
    return true;
  }

  bool parse_scope(Block& result) {
    Scope scope;
    scope.at = here();
    const int depth = line_->depth;
    ++at_;
    const Token t = token();
    const std::size_t colon = t.text.find(':');
    bool known = false;
    for (const Scope::Form form :
         {Scope::Form::NoGrad, Scope::Form::EnableGrad, Scope::Form::InferenceMode,
          Scope::Form::SetGradEnabled, Scope::Form::Autocast, Scope::Form::Other}) {
      if (t.form != Token::Form::Word || t.text.substr(0, colon) != name(form)) continue;
      scope.form = form;
      known = true;
    }
    if (!known)
      return fail(t, "no_grad, enable_grad, inference_mode, set_grad_enabled, autocast or with");
    if (colon != std::string_view::npos) scope.callee = std::string(t.text.substr(colon + 1));
    ++at_;
    if (is("(") && !arguments(scope.arguments)) return false;
    if (take("as")) {
      std::vector<Place> target;
      if (!places(target)) return false;
      if (target.size() != 1) return fail(token(), "one name after 'as'");
      scope.target = std::move(target.front());
    }
    if (!end_of_line()) return false;
    ++next_;
    if (!block(scope.body, depth + 1)) return false;
    result.push_back({std::move(scope)});
    return true;
  }

  bool parse_try(Block& result) {
    Try attempt;
    attempt.at = here();
    const int depth = line_->depth;
    ++at_;
    if (!end_of_line()) return false;
    ++next_;
    if (!block(attempt.body, depth + 1)) return false;
    while (peek() != nullptr && peek()->depth == depth && peek()->text == "handler") {
      attempt.handlers.emplace_back();
      if (!part("handler", depth, attempt.handlers.back())) return false;
    }
    if (!part("otherwise", depth, attempt.otherwise) || !part("finally", depth, attempt.finally))
      return false;
    result.push_back({std::move(attempt)});
    return true;
  }

  // --- what printing drops
  // ------------------------------------------------------------------------
  static std::optional<Role> role_named(std::string_view word) {
    for (int i = 0; i <= static_cast<int>(Role::Other); ++i) {
      if (word == name(static_cast<Role>(i))) return static_cast<Role>(i);
    }
    return std::nullopt;
  }

  bool directive(const Line& line, Function* function) {
    std::istringstream words{std::string(line.text.substr(1))};
    std::string what, first, second;
    words >> what >> first;
    if (what == "import") program_.imports.push_back(first);
    if (what == "language") program_.language = first == "cpp" ? Language::Cpp : Language::Python;
    if (what == "class") {
      Class type{first, {}, {}, {program_.path, {line.number, line.column}, {}}};
      std::string base;
      while (words >> base) {
        while (!base.empty() && !std::isalnum(static_cast<unsigned char>(base.back())) &&
               base.back() != '_')
          base.pop_back();
        if (!base.empty() && base.front() == '(') base.erase(0, 1);
        if (!base.empty()) type.bases.push_back(base);
      }
      program_.classes.push_back(std::move(type));
    }
    if (what != "role" && what != "member") return true;
    words >> second;
    line_ = &line;
    Place where;
    const auto role = role_named(second);
    if (first.empty() || !role)
      return fail(line.number, line.column, fmt::format("'{}' is not a role", second));
    if (!place(first, line.column, where)) return false;
    if (what == "role" && function != nullptr) function->roles[where] = *role;
    if (what == "member" && !program_.classes.empty())
      program_.classes.back().members[where] = *role;
    return true;
  }

  std::string_view text_;
  Program program_;
  std::vector<Line> lines_;
  std::size_t next_ = 0;
  const Line* line_ = nullptr;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  Function* function_ = nullptr;
  std::optional<Error> problem_;
};

}  // namespace

Result<Program> parse(std::string_view text, const std::string& path) {
  return Parser(text, path).run();
}

}  // namespace forerun::ir
