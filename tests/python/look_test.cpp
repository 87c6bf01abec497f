// Which files are parsed at all.
#include <gtest/gtest.h>

#include "analyzer/python/frontend.h"

namespace forerun::python {
namespace {

TEST(Look, WordsOfTraining) {
  for (const char* text : {
           "import torch\n",
           "from pytorch_lightning import Trainer\n",
           "def fit(net, data):\n  pass\n",
           "def fit(x):\n  x.backward()\n",
           "for loss in y: z(loss)\n",
           "x = y . \\\n detach()\n",
           "class A(base.Module):\n  pass\n",
           "y = head(x)\n",
           "y = f(x).sqrt()\n",
           "w = self.optimizer\n",
           "for m in models: m()\n",
           "d = {'w': m.state_dict}\n",
           "a = 1  # forerun: ignore\n",
           "a = 1  # noqa: step-missing\n",
       })
    EXPECT_TRUE(may_concern_training(text)) << text;
}

TEST(Look, OtherWords) {
  for (const char* text : {
           "",
           "import json\nwith open('a') as f:\n  rows = [r['key'] for r in json.load(f)]\n",
           "names = {}\nnames.items()\nitems = []\nitems.append('a'.format(1))\n",
           "item = train = 1\nhead = item + train\n",  // not called, no members
           "def f(:\n",
       })
    EXPECT_FALSE(may_concern_training(text)) << text;
}

}  // namespace
}  // namespace forerun::python
