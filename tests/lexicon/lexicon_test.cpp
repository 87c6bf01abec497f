#include "analyzer/lexicon/lexicon.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace forerun::lexicon {
namespace {

using ir::Kind;
using ir::Role;

std::string kind_of(const std::optional<Meaning>& meaning) {
  if (!meaning) return "nothing";
  std::string text(ir::name(meaning->kind));
  if (!meaning->callee.empty()) text += ":" + std::string(meaning->callee);
  return text;
}

TEST(Method, DependsOnTheReceiver) {
  EXPECT_EQ(kind_of(method(Role::Optimizer, "step")), "step");
  EXPECT_EQ(kind_of(method(Role::Scheduler, "step")), "scheduler_step");
  EXPECT_EQ(kind_of(method(Role::Scaler, "step")), "scaler_step");
  EXPECT_EQ(kind_of(method(Role::Unknown, "step")), "nothing");
  EXPECT_EQ(kind_of(method(Role::Module, "train")), "train_mode");
  EXPECT_EQ(kind_of(method(Role::Unknown, "train")), "nothing");
  EXPECT_EQ(kind_of(method(Role::Unknown, "update")), "nothing");
  EXPECT_EQ(kind_of(method(Role::Scaler, "update")), "scaler_update");
  EXPECT_EQ(kind_of(method(Role::Container, "size")), "query:len");
  EXPECT_EQ(kind_of(method(Role::Tensor, "size")), "query:size");
}

TEST(Method, MeansTheSameOnEveryReceiver) {
  for (const char* name :
       {"backward", "zero_grad", "item", "detach", "parameters", "to", "append", "unscale_"}) {
    EXPECT_TRUE(method(Role::Unknown, name)) << name;
  }
  EXPECT_EQ(kind_of(method(Role::Unknown, "backward")), "backward");
  EXPECT_EQ(kind_of(method(Role::Other, "backward")), "nothing") << "accelerator.backward(loss)";
  EXPECT_EQ(kind_of(method(Role::Unknown, "cpu")), "host_read:cpu");
  EXPECT_EQ(kind_of(method(Role::Module, "cpu")), "move:cpu");
}

TEST(Method, ThatEndsInAnUnderscoreIsATensors) {
  EXPECT_EQ(kind_of(method(Role::Unknown, "mul_")), "tensor_:mul_");
  EXPECT_EQ(kind_of(method(Role::Unknown, "copy_")), "tensor_:copy_");
  EXPECT_EQ(kind_of(method(Role::Unknown, "add_")), "tensor_:add_");
  EXPECT_EQ(kind_of(method(Role::Unknown, "own_thing_")), "nothing");
  EXPECT_EQ(kind_of(method(Role::Unknown, "__enter__")), "nothing");
  EXPECT_EQ(kind_of(method(Role::Module, "mul_")), "nothing");
}

TEST(Method, SharedNamesNeedATensor) {
  for (const char* name :
       {"split", "sort", "add", "sub", "log", "all", "any", "select", "take", "where", "fill"}) {
    EXPECT_FALSE(method(Role::Unknown, name)) << name;
    EXPECT_TRUE(method(Role::Tensor, name)) << name;
  }
  EXPECT_EQ(kind_of(method(Role::Unknown, "softmax")), "tensor:softmax");
}

TEST(Method, OfATensorAlwaysMeansSomething) {
  EXPECT_EQ(kind_of(method(Role::Tensor, "brand_new_operation")), "tensor:brand_new_operation");
  EXPECT_EQ(kind_of(method(Role::Tensor, "brand_new_operation_")), "tensor_:brand_new_operation_");
  EXPECT_EQ(kind_of(method(Role::Module, "brand_new_operation")), "nothing");
}

TEST(Method, SaysWhatCarriesNoGraph) {
  for (const char* name : {"argmax", "eq", "isnan", "nonzero", "sign"}) {
    EXPECT_FALSE(method(Role::Tensor, name)->differentiable) << name;
  }
  for (const char* name : {"mean", "max", "topk", "clone", "sort", "view"}) {
    EXPECT_TRUE(method(Role::Tensor, name)->differentiable) << name;
  }
}

TEST(Function, IsTheSameInBothLanguages) {
  const std::pair<const char*, const char*> pairs[] = {
      {"torch.nn.functional.mse_loss", "torch::mse_loss"},
      {"torch.nn.functional.mse_loss", "torch::nn::functional::mse_loss"},
      {"torch.nn.functional.cross_entropy", "torch::nn::functional::detail::cross_entropy"},
      {"torch.relu", "at::relu"},
      {"torch.zeros", "torch::zeros"},
      {"torch.nn.utils.clip_grad_norm_", "torch::nn::utils::clip_grad_norm_"},
      {"torch.nn.utils.clip_grad.clip_grad_norm_", "::torch::nn::utils::clip_grad_norm_"},
      {"torch.cuda.synchronize", "torch::cuda::synchronize"},
      {"torch.save", "torch::save"},
      {"torch.autograd.grad", "torch::autograd::grad"},
      {"torch.nn.init.zeros_", "torch::nn::init::zeros_"},
      {"time.perf_counter", "std::chrono::_V2::steady_clock::now"},
      {"print", "std::printf"},
      {"sys.exit", "std::exit"},
  };
  for (const auto& [python, cpp] : pairs) {
    EXPECT_NE(kind_of(function(python)), "nothing") << python;
    EXPECT_EQ(kind_of(function(python)), kind_of(function(cpp))) << python << " and " << cpp;
  }
}

TEST(Function, OfATensorNamespaceIsATensorOperation) {
  EXPECT_EQ(kind_of(function("torch.brand_new")), "tensor:brand_new");
  EXPECT_EQ(kind_of(function("torch.linalg.solve")), "tensor:solve");
  EXPECT_EQ(kind_of(function("torch.nn.functional.relu_")), "tensor_:relu_");
  EXPECT_EQ(kind_of(function("torch.cuda.brand_new")), "nothing");
  EXPECT_EQ(kind_of(function("torch.distributed.barrier")), "nothing");
  EXPECT_EQ(kind_of(function("numpy.mean")), "nothing");
  EXPECT_EQ(kind_of(function("mytorch.relu")), "nothing");
  EXPECT_EQ(kind_of(function("torch.manual_seed")), "call:manual_seed");
  EXPECT_EQ(kind_of(function("torch.is_autocast_enabled")), "call:is_autocast_enabled");
  EXPECT_EQ(kind_of(function("torch.nn.init.calculate_gain")), "call:calculate_gain");
  EXPECT_EQ(kind_of(function("")), "nothing");
  EXPECT_EQ(kind_of(function("torch")), "nothing");
}

TEST(Function, EveryFunctionalLossIsALoss) {
  for (const char* name : {"binary_cross_entropy",
                           "binary_cross_entropy_with_logits",
                           "cosine_embedding_loss",
                           "cross_entropy",
                           "ctc_loss",
                           "gaussian_nll_loss",
                           "hinge_embedding_loss",
                           "huber_loss",
                           "kl_div",
                           "l1_loss",
                           "margin_ranking_loss",
                           "mse_loss",
                           "multi_margin_loss",
                           "multilabel_margin_loss",
                           "multilabel_soft_margin_loss",
                           "nll_loss",
                           "poisson_nll_loss",
                           "smooth_l1_loss",
                           "soft_margin_loss",
                           "triplet_margin_loss",
                           "triplet_margin_with_distance_loss"}) {
    const std::string qualified = std::string("torch.nn.functional.") + name;
    EXPECT_EQ(kind_of(function(qualified)), std::string("loss:") + name);
  }
}

TEST(Construct, KnowsClassesOfBothLanguages) {
  const auto role_of = [](const char* name) {
    return construct(name) ? construct(name)->result : Role::Unknown;
  };
  EXPECT_EQ(role_of("torch.optim.AdamW"), Role::Optimizer);
  EXPECT_EQ(role_of("torch.optim.adamw.AdamW"), Role::Optimizer);
  EXPECT_EQ(role_of("torch::optim::Adam"), Role::Optimizer);
  EXPECT_EQ(role_of("torch.optim.lr_scheduler.OneCycleLR"), Role::Scheduler);
  EXPECT_EQ(role_of("torch::optim::StepLR"), Role::Scheduler);
  EXPECT_EQ(role_of("torch.nn.CrossEntropyLoss"), Role::LossModule);
  EXPECT_EQ(role_of("torch.nn.modules.loss.BCELoss"), Role::LossModule);
  EXPECT_EQ(role_of("torch.nn.Linear"), Role::Module);
  EXPECT_EQ(role_of("torch::nn::LinearImpl"), Role::Module);
  EXPECT_EQ(role_of("torch.nn.SomethingNew"), Role::Module);
  EXPECT_EQ(role_of("torch.nn.parallel.DistributedDataParallel"), Role::Module);
  EXPECT_EQ(role_of("torch.cuda.amp.GradScaler"), Role::Scaler);
  EXPECT_EQ(role_of("torch.amp.GradScaler"), Role::Scaler);
  EXPECT_EQ(role_of("torch.utils.data.DataLoader"), Role::Loader);
  EXPECT_EQ(role_of("torch.nn.Parameter"), Role::Tensor);
  EXPECT_FALSE(construct("torch::optim::AdamWOptions"));
  EXPECT_FALSE(construct("torch.nn.functional.relu"));
  EXPECT_FALSE(construct("mylib.Linear"));
  EXPECT_EQ(construct("torch::nn::LinearImpl")->callee, "Linear");
  EXPECT_EQ(construct("torch::Device")->callee, "device");
  EXPECT_EQ(construct("torch::optim::ReduceLROnPlateauScheduler")->callee, "ReduceLROnPlateau");
}

TEST(Guard, KnowsGuardsOfBothLanguages) {
  using Form = ir::Scope::Form;
  EXPECT_EQ(guard("torch.no_grad"), Form::NoGrad);
  EXPECT_EQ(guard("torch::NoGradGuard"), Form::NoGrad);
  EXPECT_EQ(guard("c10::NoGradGuard"), Form::NoGrad);
  EXPECT_EQ(guard("c10::InferenceMode"), Form::InferenceMode);
  EXPECT_EQ(guard("c10::AutoGradMode"), Form::SetGradEnabled);
  EXPECT_EQ(guard("torch.cuda.amp.autocast"), Form::Autocast);
  EXPECT_EQ(guard("torch.relu"), std::nullopt);
}

TEST(Constant, IsTheSameInBothLanguages) {
  EXPECT_EQ(constant("torch.half"), "float16");
  EXPECT_EQ(constant("at::kHalf"), "float16");
  EXPECT_EQ(constant("torch::kCUDA"), "\"cuda\"");
  EXPECT_EQ(constant("torch.relu"), std::nullopt);
}

TEST(Canonical, HasOneSpelling) {
  EXPECT_EQ(canonical("::at::relu"), "torch.relu");
  EXPECT_EQ(canonical("torch::nn::functional::detail::mse_loss"), "torch.nn.functional.mse_loss");
  EXPECT_EQ(canonical("torch.relu"), "torch.relu");
  EXPECT_EQ(canonical("data.at.x"), "data.at.x");
  EXPECT_EQ(canonical(""), "");
}

TEST(Apply, WritesWhatFlowNeeds) {
  ir::Op op;
  apply(*method(Role::Tensor, "argmax"), op);
  EXPECT_EQ(op.kind, Kind::Tensor);
  EXPECT_EQ(op.result_role, Role::Tensor);
  EXPECT_EQ(op.details["differentiable"], "false");
  ir::Op plain;
  apply(*method(Role::Optimizer, "step"), plain);
  EXPECT_TRUE(plain.callee.empty());
  EXPECT_TRUE(plain.details.empty());
}

ir::Op made(Kind kind, std::vector<ir::Argument> arguments, bool receiver = true) {
  ir::Op op;
  op.kind = kind;
  op.arguments = std::move(arguments);
  if (receiver) op.receiver = ir::Place{"x", {}};
  return op;
}

TEST(Normalise, WritesOneSpelling) {
  const ir::Literal yes{"true"}, no{"false"}, none{"none"};
  const ir::Place w{"w", {}};
  const std::pair<ir::Op, const char*> cases[] = {
      {made(Kind::Backward, {{"", none}, {"", yes}}), "backward x (retain_graph=true)"},
      {made(Kind::Backward, {{"retain_graph", no}, {"create_graph", no}}), "backward x"},
      {made(Kind::Backward, {{"gradient", w}}), "backward x (w)"},
      {made(Kind::ZeroGrad, {{"", yes}}), "zero_grad x (set_to_none=true)"},
      {made(Kind::TrainMode, {{"", no}}), "eval_mode x"},
      {made(Kind::TrainMode, {{"mode", yes}}), "train_mode x"},
      {made(Kind::TrainMode, {{"mode", w}}), "train_mode x (w)"},
      {made(Kind::RequiresGrad, {}), "requires_grad x (true)"},
      {made(Kind::RequiresGrad, {{"requires_grad", no}}), "requires_grad x (false)"},
      {made(Kind::Move, {{"", w}, {"", yes}}), "move x (w, non_blocking=true)"},
      {made(Kind::TensorInPlace, {{"", w}}, false), "tensor_ w"},
      {made(Kind::Print, {{"", w}, {"end", none}}), "print (w)"},
  };
  for (auto [op, expected] : cases) {
    normalise(op);
    EXPECT_EQ(ir::print(op), expected);
  }
}

TEST(Names, SuggestRoles) {
  const std::pair<const char*, Role> names[] = {
      {"opt", Role::Optimizer},
      {"optimizer", Role::Optimizer},
      {"optimizer_g", Role::Optimizer},
      {"optimizerD", Role::Optimizer},
      {"d_optimizer", Role::Optimizer},
      {"optG", Role::Optimizer},
      {"self_optim", Role::Optimizer},
      {"opts", Role::Unknown},
      {"options", Role::Unknown},
      {"optional", Role::Unknown},
      {"optimal", Role::Unknown},
      {"sched", Role::Scheduler},
      {"lr_scheduler", Role::Scheduler},
      {"scheduler2", Role::Scheduler},
      {"noise_scheduler", Role::Other},
      {"scaler", Role::Scaler},
      {"grad_scaler", Role::Scaler},
      {"net", Role::Module},
      {"netG", Role::Module},
      {"model", Role::Module},
      {"model_ema", Role::Module},
      {"model_path", Role::Unknown},
      {"model_name", Role::Unknown},
      {"teacher_model", Role::Module},
      {"unet", Role::Module},
      {"network", Role::Module},
      {"criterion", Role::LossModule},
      {"loss_fn", Role::LossModule},
      {"criterionGAN", Role::LossModule},
      {"loss", Role::Tensor},
      {"train_loss", Role::Tensor},
      {"losses", Role::Unknown},
      {"train_loader", Role::Loader},
      {"trainer", Role::Other},
      {"accelerator", Role::Other},
      {"model_engine", Role::Other},
      {"x", Role::Unknown},
      {"", Role::Unknown},
      {"_", Role::Unknown},
      {"_model", Role::Module},
      {"loss_scaler", Role::Scaler},
  };
  for (const auto& [name, role] : names)
    EXPECT_EQ(ir::name(role_from_name(name)), ir::name(role)) << name;
}

TEST(Names, OfWhatIsCalled) {
  EXPECT_EQ(role_from_called_name("adversarial_loss"), Role::LossModule);
  EXPECT_EQ(role_from_called_name("l1_loss"), Role::LossModule);
  EXPECT_EQ(role_from_called_name("head_a"), Role::Module);
  EXPECT_EQ(role_from_called_name("encoder"), Role::Module);
  EXPECT_EQ(role_from_called_name("next_batch"), Role::Unknown);
}

TEST(Names, OfClassesAndUses) {
  EXPECT_EQ(role_from_class_name("FocalLoss"), Role::LossModule);
  EXPECT_EQ(role_from_class_name("WarmupCosineLR"), Role::Scheduler);
  EXPECT_EQ(role_from_class_name("FusedAdam"), Role::Optimizer);
  EXPECT_EQ(role_from_class_name("Accuracy"), Role::Unknown);
  EXPECT_EQ(role_from_class_name("make_model"), Role::Unknown);
  EXPECT_EQ(role_from_use("param_groups"), Role::Optimizer);
  EXPECT_EQ(role_from_use("get_last_lr"), Role::Scheduler);
  EXPECT_EQ(role_from_use("zero_grad"), Role::Unknown);
  EXPECT_EQ(role_from_use("unscale_"), Role::Scaler);
}

}  // namespace
}  // namespace forerun::lexicon
