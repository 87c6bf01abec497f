// The part of the builder that models use: names, parameters and scopes.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "estimator/graph/builder.h"
#include "estimator/graph/model_catalog.h"
#include "estimator/graph/name.h"

namespace forerun::graph {

Name::Name(Builder& builder, ValueId id) : held_(std::make_shared<Held>(&builder, id)) {}
Name::Held::~Held() { builder->drop_name(id); }

const Shape& Name::shape() const {
  static const Shape kNone;
  return held_ ? builder().tensor(id()).shape : kNone;
}

std::int64_t Name::size(int dim) const {
  const Shape& all = shape();
  const auto count = static_cast<int>(all.size());
  const int at = dim < 0 ? dim + count : dim;
  return at >= 0 && at < count ? all[static_cast<std::size_t>(at)] : 1;
}

DType Name::dtype() const { return held_ ? builder().tensor(id()).dtype : DType::Float32; }

Builder::Builder(const Spec& spec)
    : spec_(spec),
      meta_tape_(std::make_unique<ops::Tape>()),
      meta_device_(std::make_unique<devices::Device>()) {
  meta_tape_->mute();
  meta_run_ = std::make_unique<ops::Runtime>(*meta_tape_, *meta_device_);
  meta_run_->grad_enabled = false;
}

Builder::Scope::Scope(Builder& builder, const std::string& name)
    : builder_(builder), before_(builder.where_) {
  builder_.where_ = before_.empty() ? name : fmt::format("{}.{}", before_, name);
}
Builder::Scope::~Scope() { builder_.where_ = std::move(before_); }

Name Builder::weight(std::string role, Shape shape) {
  return made_parameter(std::move(role), std::move(shape), model_dtype(), true);
}

Name Builder::weight(std::string role, Shape shape, DType dtype) {
  return made_parameter(std::move(role), std::move(shape), dtype, true);
}

Name Builder::state(std::string role, Shape shape, DType dtype) {
  return made_parameter(std::move(role), std::move(shape), dtype, false);
}

Name Builder::made_parameter(std::string role, Shape shape, DType dtype, bool trainable) {
  if (failed()) return {};
  const auto index = add_parameter(std::move(role), shape, dtype, trainable);
  if (!index) {
    fail(index.error());
    return {};
  }
  Parameter& made = graph_.parameters[static_cast<std::size_t>(*index)];
  made.dtype = dtype;
  const auto id = add_value(std::move(shape), dtype, made.name, at_);
  if (!id) {
    fail(id.error());
    return {};
  }
  graph_.values[static_cast<std::size_t>(*id)].parameter = *index;
  pinned_.insert(*id);
  Instruction step;
  step.parameters = {*index};
  step.attributes.dtype = dtype;
  step.output = *id;
  step.where = where_;
  push(std::move(step));
  set_meta(*id, graph_.values[static_cast<std::size_t>(*id)].shape, dtype);
  return {*this, *id};
}

Name Builder::keep_as_state(std::string role, Name value) {
  return keep_value(std::move(role), std::move(value), false);
}

Name Builder::keep_as_weight(std::string role, Name value) {
  return keep_value(std::move(role), std::move(value), true);
}

Name Builder::keep_value(std::string role, Name value, bool trainable) {
  if (failed() || !value) return {};
  graph_.parameters.push_back(
      {fmt::format("{} {}", where_, role), value.shape(), value.dtype(), where_, trainable});
  const int index = static_cast<int>(graph_.parameters.size()) - 1;
  graph_.values[static_cast<std::size_t>(value.id())].parameter = index;
  pinned_.insert(value.id());
  Instruction step;
  step.inputs = {value.id()};
  step.parameters = {index};
  step.output = value.id();
  push(std::move(step));
  return value;
}

namespace {

// Where in the order the parameters from `module` on stand; all in the order of making: counts up
// to `made`.
std::vector<int>::iterator completed(std::vector<int>& order, int made, int module) {
  for (int next = static_cast<int>(order.size()); next < made; ++next) order.push_back(next);
  return order.begin() + module;
}

}  // namespace

void Builder::registered_last(int from, int to) {
  for (std::vector<int>* order : {&graph_.trained_order, &graph_.moved_order}) {
    const auto begin = completed(*order, made(), from);
    std::stable_partition(begin, order->end(), [to](int index) { return index >= to; });
  }
}

void Builder::registered_own(int module, int from, int to) {
  const auto own = [=](int index) { return index >= from && index < to; };
  const auto trained = completed(graph_.trained_order, made(), module);
  std::stable_partition(trained, graph_.trained_order.end(), own);
  const auto moved = completed(graph_.moved_order, made(), module);
  std::stable_partition(moved, graph_.moved_order.end(), [&](int index) { return !own(index); });
}

// model.to(dtype): each parameter and buffer of floating point is made anew, then the old one goes.
void Builder::convert(int parameter, DType dtype) {
  graph::Parameter& one = graph_.parameters[static_cast<std::size_t>(parameter)];
  if (!is_floating(one.dtype) || one.dtype == dtype || one.discarded) return;
  one.dtype = dtype;
  for (std::size_t id = 0; id < graph_.values.size(); ++id) {
    if (graph_.values[id].parameter != parameter) continue;
    const auto value = static_cast<ValueId>(id);
    graph_.values[id].dtype = dtype;
    Instruction step;
    step.inputs = {value};
    step.parameters = {parameter};
    step.attributes.dtype = dtype;
    step.output = value;
    push(std::move(step));
    set_meta(value, one.shape, dtype);
  }
}

void Builder::forward_begins() {
  if (float_first_ && !failed()) {
    completed(graph_.trained_order, made(), 0);
    completed(graph_.moved_order, made(), 0);
    const DType dtype = spec_.precision == Precision::Bf16 ? DType::BFloat16 : DType::Float32;
    for (const int parameter : graph_.moved_order) convert(parameter, dtype);
  }
  making_ = false;
}

void Builder::push_drop(ValueId value) {
  Instruction step;
  step.inputs = {value};
  step.where = where_;
  push(std::move(step));
}

void Builder::discard(Name parameter) {
  if (failed() || !parameter) return;
  const int index = graph_.values[static_cast<std::size_t>(parameter.id())].parameter;
  graph_.parameters[static_cast<std::size_t>(index)].discarded = true;
  push_drop(parameter.id());
}

Name Builder::data(std::string what, Shape shape, DType dtype) {
  Name made = data_value(std::move(what), std::move(shape), dtype);
  if (made) (graph_.input < 0 ? graph_.input : graph_.target) = made.id();
  return made;
}

Name Builder::more_data(std::string what, Shape shape, DType dtype) {
  Name made = data_value(std::move(what), std::move(shape), dtype);
  if (made) graph_.more_inputs.push_back(made.id());
  return made;
}

Name Builder::data_value(std::string what, Shape shape, DType dtype) {
  if (failed()) return {};
  const auto id = add_value(std::move(shape), dtype, std::move(what), at_);
  if (!id) {
    fail(id.error());
    return {};
  }
  pinned_.insert(*id);
  set_meta(*id, graph_.values[static_cast<std::size_t>(*id)].shape, dtype);
  return {*this, *id};
}

void Builder::set_meta(ValueId id, Shape shape, DType dtype) {
  meta_.resize(graph_.values.size());
  meta_[static_cast<std::size_t>(id)] =
      meta_run_->empty(std::move(shape), dtype, ops::Category::Data, "");
}

std::vector<Name> Builder::apply(const ops::Operator& op, std::vector<Name> operands,
                                 ops::Attributes attributes) {
  if (failed()) return {};
  ops::Tensors inputs;
  std::vector<ValueId> ids;
  for (const Name& operand : operands) {
    ids.push_back(operand.id());
    inputs.push_back(operand ? tensor(operand.id()) : ops::Tensor{});
  }
  meta_run_->autocast =
      making_ || autocast_is_off_ ? std::nullopt : autocast_dtype(spec_.precision);
  attributes.no_autocast = autocast_is_off_;
  ops::Tensors results = op.run(*meta_run_, inputs, {}, attributes);
  meta_run_->leave_autocast();
  Instruction made;
  made.op = &op;
  made.inputs = std::move(ids);
  made.attributes = std::move(attributes);
  made.where = where_;
  std::vector<Name> names;
  for (ops::Tensor& result : results) {
    const auto id = add_value(result.shape, result.dtype, where_, at_);
    if (!id) {
      fail(id.error());
      return {};
    }
    meta_.resize(graph_.values.size());
    meta_[static_cast<std::size_t>(*id)] = std::move(result);
    if (made.output < 0)
      made.output = *id;
    else
      made.also.push_back(*id);
    names.push_back({*this, *id});
  }
  push(std::move(made));
  return names;
}

void Builder::drop_name(ValueId value) {
  if (failed() || closed_ || pinned_.count(value) > 0) return;
  push_drop(value);
}

Result<ValueId> Builder::prediction(const models::Model& model, ValueId input) {
  set_meta(input, shape(input), dtype(input));
  pinned_.insert(input);
  const Name made = model.build(*this, spec_, Name(*this, input));
  if (failed()) return error();
  pinned_.insert(made.id());  // the caller drops it
  return made.id();
}

}  // namespace forerun::graph
