// The program as it is written, without its flow: every operation with its function, the classes
// and what their members are given. For rules about declarations, and for those that judge an
// operation by itself.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "analyzer/ir/ir.h"

namespace forerun::rules {

// Every operation of a function in program order, nested functions and loop conditions included.
// `loops`: those of the function around it, outermost first.
struct Site {
  const ir::Function* function = nullptr;  // the outermost
  const ir::Op* op = nullptr;
  std::vector<const ir::Loop*> loops;
  std::vector<const ir::Branch*> branches;
  std::vector<const ir::Scope*> scopes;
};
void each_operation(const ir::Function& function, const std::function<void(const Site&)>& visit);
// Of a program: those of what it calls in other files too.
void each_operation(const ir::Program& program, const std::function<void(const Site&)>& visit);

const ir::Class* class_named(const ir::Program& program, const std::string& name);
// Modules, directly or through classes of the program; a base that is not known counts when its
// name says so (…Module, …Model, …Net, …Block, …Layer).
bool is_module_class(const ir::Program& program, const ir::Class& type);
std::vector<const ir::Function*> methods_of(const ir::Program& program, const std::string& type);
const ir::Function* method_of(const ir::Program& program, const std::string& type,
                              const std::string& method);

// The operation makes a module: one of torch's own, or of a class of the program.
bool makes_module(const ir::Program& program, const ir::Op& op);
// … that has parameters or buffers, or behaves differently in evaluation.
bool makes_stateful_module(const ir::Program& program, const ir::Op& op);

// The module classes of the program that no other module of it contains: what a function that is
// given "a model" is given. Losses are none.
std::vector<const ir::Class*> model_classes(const ir::Program& program);

const ir::Place* place_of(const ir::Operand& operand);
const std::string* literal_of(const ir::Operand& operand);
const ir::Argument* argument(const ir::Op& op, const std::string& name, std::size_t position);
// A unit test, by its name and by what is in it (test_net.py may be an evaluation script): what it
// does once, or for show, is no training.
bool is_test(const ir::Program& program);
bool imports(const ir::Program& program, const std::string& module);  // it or a part of it
// Case is ignored.
bool mentions(const std::string& text, std::initializer_list<const char*> words);

}  // namespace forerun::rules
