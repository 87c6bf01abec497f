// Which file an import means, what is taken from it, and what a file's findings depend on.
#include "analyzer/link/link.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyzer/flow/analysis.h"
#include "analyzer/link/surroundings.h"
#include "analyzer/python/frontend.h"

namespace forerun::link {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Files = std::map<std::string, std::string>;

std::vector<std::string> names(const Files& files) {
  std::vector<std::string> all;
  for (const auto& [name, text] : files) all.push_back(name);
  return all;
}

ir::Program linked(const Files& files, const std::string& of) {
  const Modules modules(names(files));
  auto program = python::lower(files.at(of), of);
  EXPECT_TRUE(program);
  link(*program, modules, [&](const std::string& file) -> std::shared_ptr<const ir::Program> {
    if (!is_worth_reading(file, files.at(file))) return nullptr;
    return std::make_shared<const ir::Program>(*python::lower(files.at(file), file));
  });
  return std::move(*program);
}

std::vector<std::string> taken(const ir::Program& program) {
  std::vector<std::string> all;
  for (const ir::Function& function : program.linked.functions) all.push_back(function.name);
  return all;
}

const std::string kEngine =
    "def train(model, optimizer, x):\n"
    "    loss = model(x).sum()\n"
    "    finish(loss, optimizer)\n"
    "def finish(loss, optimizer):\n"
    "    loss.backward()\n"
    "    optimizer.step()\n"
    "def describe(model):\n"
    "    return str(model)\n";

TEST(Modules, AreFoundBesideTheImporterAndAbove) {
  const Modules modules({"main.py", "engine.py", "lib/__init__.py", "lib/engine.py", "lib/a/b.py"});
  auto file = [&](const std::string& importer, const std::string& dotted) {
    const Symbol symbol = modules.find(importer, dotted);
    return symbol.file + ":" + symbol.name;
  };
  EXPECT_EQ(file("main.py", "engine.train"), "engine.py:train");
  EXPECT_EQ(file("./main.py", "lib.engine.train"), "lib/engine.py:train");
  EXPECT_EQ(file("main.py", "lib.train"), "lib/__init__.py:train");
  EXPECT_EQ(file("main.py", "lib"), "lib/__init__.py:");
  EXPECT_EQ(file("lib/a/b.py", "lib.engine.Net.fit"), "lib/engine.py:Net.fit");
  EXPECT_EQ(file("lib/a/b.py", "..engine.train"), "lib/engine.py:train");
  EXPECT_EQ(file("lib/engine.py", ".a.b.f"), "lib/a/b.py:f");
  EXPECT_EQ(file("lib/engine.py", ".f"), "lib/__init__.py:f");
  EXPECT_EQ(file("lib/engine.py", "...engine.train"), ":");
  EXPECT_EQ(file("main.py", "torch.nn.Linear"), ":");
  EXPECT_EQ(file("main.py", "lib.a.c.f"), "lib/__init__.py:a.c.f");
}

TEST(Link, TakesWhatTrainsAndWhatItCalls) {
  const ir::Program program = linked({{"main.py",
                                       "from engine import train, describe\n"
                                       "def main(model, optimizer, batches):\n"
                                       "    describe(model)\n"
                                       "    for x in batches:\n"
                                       "        train(model, optimizer, x)\n"},
                                      {"engine.py", kEngine}},
                                     "main.py");
  EXPECT_THAT(taken(program), ElementsAre("@0.train", "@0.finish"));
  EXPECT_EQ(program.functions.size(), 1u) << "linked functions are no entry points";
  std::size_t steps = 0;
  for (const auto& of : flow::analyse(program)) {
    for (const auto& node : of->graph().nodes)
      steps += node.op != nullptr && node.op->kind == ir::Kind::Step;
  }
  EXPECT_EQ(steps, 1u) << "followed where it is called, once";
}

TEST(Link, FollowsPackagesClassesAndModuleNames) {
  const Files files = {{"main.py",
                        "import lib.engine as E\n"
                        "from lib import Fitter, train\n"
                        "def main(model, optimizer, x):\n"
                        "    E.finish(x, optimizer)\n"
                        "    train(model, optimizer, x)\n"
                        "    Fitter(optimizer).fit(x)\n"},
                       {"lib/__init__.py", "from .engine import train\nfrom .fitter import *\n"},
                       {"lib/engine.py", kEngine},
                       {"lib/fitter.py",
                        "from .engine import finish\n"
                        "class Base:\n"
                        "    def keep(self, optimizer):\n"
                        "        self.optimizer = optimizer\n"
                        "        optimizer.zero_grad()\n"
                        "class Fitter(Base):\n"
                        "    def __init__(self, optimizer):\n"
                        "        self.keep(optimizer)\n"
                        "    def fit(self, loss):\n"
                        "        finish(loss, self.optimizer)\n"}};
  const ir::Program program = linked(files, "main.py");
  EXPECT_THAT(taken(program), testing::UnorderedElementsAre("@0.finish", "@0.train", "@1.Base.keep",
                                                            "@1.Fitter.__init__", "@1.Fitter.fit"));
  ASSERT_EQ(program.linked.classes.size(), 2u);
  EXPECT_EQ(program.linked.classes[1].bases.front(), "@1.Base");
}

TEST(Link, LeavesWhatWouldReadAnotherFilesGlobals) {
  const std::string text =
      "def train(loss):\n"
      "    loss.backward()\n"
      "    optimizer.step()\n";
  const std::string main = "from engine import train\ntrain(x)\n";
  EXPECT_THAT(
      taken(linked({{"main.py", "optimizer = make()\n" + main}, {"engine.py", text}}, "main.py")),
      IsEmpty());
  EXPECT_THAT(taken(linked({{"main.py", main}, {"engine.py", text}}, "main.py")),
              ElementsAre("@0.train"));
}

TEST(Link, LeavesAProgramAloneThatTrainsNothing) {
  const Files files = {{"main.py", "from engine import freeze\nfreeze(model)\n"},
                       {"engine.py", "def freeze(model):\n    model.eval()\n"}};
  const ir::Program program = linked(files, "main.py");
  EXPECT_THAT(taken(program), IsEmpty());
  EXPECT_EQ(ir::print(program), ir::print(*python::lower(files.at("main.py"), "main.py")));
}

TEST(Link, EndsWhereFilesImportEachOther) {
  const std::string a = "from b import g\ndef f(loss):\n    g(loss)\n";
  const std::string b = "from a import f\ndef g(loss):\n    loss.backward()\n    f(loss)\n";
  EXPECT_THAT(taken(linked({{"a.py", a + "f(x)\n"}, {"b.py", b}}, "a.py")), ElementsAre("@0.g"));
}

TEST(Surroundings, KnowEveryFormOfAnImport) {
  EXPECT_THAT(imported_names("import a.b as c, d; x = 1\n"), ElementsAre("a.b", "c", "d"));
  EXPECT_THAT(imported_names("from .m import (f,  # why\n  g as h,\n)\ny = important\n"),
              ElementsAre(".m", ".m.f", ".m.g", ".m.h"));
  EXPECT_THAT(imported_names("from .. \\\n  import k\nz = 1\n"), ElementsAre("..", "..k"));
  EXPECT_THAT(imported_names("if x: from m import *\n"), ElementsAre("m"));
  EXPECT_THAT(imported_names("from m import"), ElementsAre("m"));
  EXPECT_THAT(imported_names("import"), IsEmpty());
}

TEST(Surroundings, ChangeWithWhatIsImportedHoweverFar) {
  Files files = {{"main.py", "from a import f\n"},
                 {"a.py", "from b import g\ndef f(x): x.backward()\n"},
                 {"b.py", "def g(o): o.step()\n"},
                 {"c.py", "def h(o): o.step()\n"}};
  auto digest = [&] {
    const Modules modules(names(files));
    Surroundings of(
        modules, [&](const std::string& file) { return std::optional(files.at(file)); },
        [](std::string_view text) { return std::to_string(std::hash<std::string_view>()(text)); });
    return of.digest("main.py", files.at("main.py"));
  };
  const std::string before = digest();
  EXPECT_NE(before, "");
  files["c.py"] += "\n";
  EXPECT_EQ(digest(), before) << "main.py does not import it";
  files["b.py"] += "\n";
  EXPECT_NE(digest(), before);
  files["main.py"] = "x = 1\n";
  EXPECT_EQ(digest(), "");
}

}  // namespace
}  // namespace forerun::link
