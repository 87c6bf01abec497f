#include "verifier/emulator/device/python_agent.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "verifier/emulator/device/blocks.h"
#include "verifier/emulator/device/events.h"
#include "verifier/emulator/device/log.h"
#include "verifier/emulator/device/python_api.h"
#include "verifier/emulator/device/python_site.h"
#include "verifier/emulator/device/report.h"
#include "verifier/emulator/device/site.h"
#include "verifier/emulator/device/totals.h"

// The part that is written in Python; `await_optimizer`, `stepped`, `categorise` and `replaced` are
// the functions below. It must leave no trace in the program but one hook.
static const char source[] =
    "def install():\n"
    "    import gc, os, sys, threading\n"
    "    import torch\n"
    "    from torch.optim import optimizer as module\n"
    "    PARAMETER, GRADIENT, STATE, BUFFER = 1, 2, 3, 5\n"
    "    known, announced = {}, set()\n"
    "    steps = scans = next_scan = 0\n"
    "    seen_replaced = -1\n"
    "    complained = asked_to_end = False\n"
    "\n"
    // The address of a tensor's block: where its storage starts, of the local part of a DTensor.
    "    def addresses(tensors):\n"
    "        found = []\n"
    "        for tensor in tensors:\n"
    "            try:\n"
    "                tensor = getattr(tensor, '_local_tensor', tensor)\n"
    "                if tensor.is_cuda:\n"
    "                    offset = tensor.storage_offset()\n"
    "                    at = tensor.data_ptr()\n"
    "                    found.append(at - offset * tensor.element_size() if offset else at)\n"
    "            except Exception:\n"
    "                pass\n"
    "        return found\n"
    "\n"
    "    def nested(value, depth=0):\n"
    "        if isinstance(value, torch.Tensor):\n"
    "            yield value\n"
    "        elif depth < 4 and isinstance(value, dict):\n"
    "            for item in list(value.values()):\n"
    "                yield from nested(item, depth + 1)\n"
    "        elif depth < 4 and isinstance(value, (list, tuple)):\n"
    "            for item in value:\n"
    "                yield from nested(item, depth + 1)\n"
    "\n"
    "    def parameters_of(optimizer):\n"
    "        return [p for group in optimizer.param_groups for p in group['params']]\n"
    "\n"
    // Everything alive, once and when the program has made new ones; ever more seldom where it
    // always does.
    "    def scan():\n"
    "        modules, optimizers = [], []\n"
    "        for thing in gc.get_objects():\n"
    "            kind = type(thing)\n"
    "            if issubclass(kind, torch.nn.Module):\n"
    "                modules.append(thing)\n"
    "            elif issubclass(kind, module.Optimizer):\n"
    "                optimizers.append(thing)\n"
    "        for thing in modules:\n"
    "            inside = thing.__dict__\n"
    "            categorise(PARAMETER, addresses(list((inside.get('_parameters') or "
    "{}).values())))\n"
    "            categorise(BUFFER, addresses(list((inside.get('_buffers') or {}).values())))\n"
    "        return optimizers\n"
    "\n"
    "    def awaited(optimizer):\n"
    // A wrapper that derives from Optimizer and was not made as one never steps itself.
    "        return getattr(type(optimizer).step, 'hooked', False) and "
    "optimizer.__dict__.get('param_groups')\n"
    "\n"
    "    def look(optimizer):\n"
    "        nonlocal steps, scans, next_scan, seen_replaced\n"
    "        steps += 1\n"
    "        key = id(optimizer)\n"
    "        parameters = parameters_of(optimizer)\n"
    "        shape = (len(parameters), len(optimizer.state), replaced())\n"
    "        if known.get(key) != shape:\n"
    "            first = key not in announced\n"
    "            if first or (seen_replaced != shape[2] and steps >= next_scan):\n"
    "                seen_replaced = shape[2]\n"
    "                scans += 1\n"
    "                next_scan = 0 if scans < 8 else 2 * steps\n"
    "                for other in scan():\n"
    "                    if id(other) not in announced and awaited(other):\n"
    "                        announced.add(id(other))\n"
    "                        await_optimizer(id(other))\n"
    "                announced.add(key)\n"
    "            categorise(STATE, addresses(nested(dict(optimizer.state))))\n"
    "            categorise(PARAMETER, addresses(parameters))\n"
    "            known[key] = (shape[0], shape[1], replaced())\n"
    "        categorise(GRADIENT, addresses([g for p in parameters if (g := p.grad) is not "
    "None]))\n"
    "\n"
    "    def end():\n"
    "        nonlocal asked_to_end\n"
    "        main = threading.current_thread() is threading.main_thread()\n"
    "        if main and not asked_to_end:\n"
    "            asked_to_end = True\n"
    "            raise SystemExit(0)\n"
    // It was asked to end and goes on.
    "        for stream in (sys.stdout, sys.stderr):\n"
    "            try:\n"
    "                stream.flush()\n"
    "            except Exception:\n"
    "                pass\n"
    "        os._exit(0)\n"
    "\n"
    "    def after_step(optimizer, args, kwargs):\n"
    "        nonlocal complained\n"
    "        try:\n"
    "            look(optimizer)\n"
    "        except Exception as problem:\n"
    "            if not complained:\n"
    "                complained = True\n"
    "                print('forerun emulator: what blocks are for is partly unknown:',\n"
    "                      type(problem).__name__, problem, file=sys.stderr)\n"
    "        if stepped(id(optimizer)):\n"
    "            end()\n"
    "\n"
    "    after_step._torchdynamo_disable = True\n"
    "    module.register_optimizer_step_post_hook(after_step)\n"
    "\n"
    "install()\n";

// The main thread is asked first; when it runs no Python, as when it waits for one that trains, a
// thread of our own is, which may wait for Python's lock because it holds nothing.
enum { NOT_STARTED, SCHEDULED, ASKED_ANOTHER, RUNNING };
enum { PATIENCE_NS = 100 * 1000 * 1000 };
static int state;
static uint64_t scheduled_at;

// --- Functions for the source

enum { METH_VARARGS = 1, EVAL_FILE = 257 };  // methodobject.h, compile.h: Py_file_input
typedef EmuPyObject* Function(EmuPyObject* self, EmuPyObject* arguments);
typedef struct {
  const char* name;
  Function* function;
  int flags;
  const char* documentation;
} Definition;  // PyMethodDef

static EmuPyObject* number(unsigned long long value) {
  const EmuPython* py = emu_python();
  return py == NULL ? NULL : py->PyLong_FromUnsignedLongLong(value);
}

static EmuPyObject* await_optimizer(EmuPyObject* self, EmuPyObject* arguments) {
  (void)self;
  unsigned long long id = 0;
  const EmuPython* py = emu_python();
  if (py == NULL || !py->PyArg_ParseTuple(arguments, "K", &id)) return NULL;
  emu_step_await(id);
  return number(0);
}

static EmuPyObject* stepped(EmuPyObject* self, EmuPyObject* arguments) {
  (void)self;
  unsigned long long id = 0;
  const EmuPython* py = emu_python();
  if (py == NULL || !py->PyArg_ParseTuple(arguments, "K", &id)) return NULL;
  return number((unsigned long long)emu_step_optimizer(id));
}

static EmuPyObject* categorise(EmuPyObject* self, EmuPyObject* arguments) {
  (void)self;
  int category = 0;
  EmuPyObject* addresses = NULL;
  const EmuPython* py = emu_python();
  if (py == NULL || !py->PyArg_ParseTuple(arguments, "iO", &category, &addresses)) return NULL;
  const ptrdiff_t count = py->PyList_Size(addresses);
  for (ptrdiff_t i = 0; i < count; ++i) {
    const uint64_t address = py->PyLong_AsUnsignedLongLong(py->PyList_GetItem(addresses, i));
    if (address != 0) emu_block_categorise(address, category);
  }
  return number(0);
}

static EmuPyObject* replaced(EmuPyObject* self, EmuPyObject* arguments) {
  (void)self, (void)arguments;
  return number(emu_blocks_replaced());
}

static Definition definitions[] = {
    {"await_optimizer", await_optimizer, METH_VARARGS, NULL},
    {"stepped", stepped, METH_VARARGS, NULL},
    {"categorise", categorise, METH_VARARGS, NULL},
    {"replaced", replaced, METH_VARARGS, NULL},
};

// --- Starting

static EmuPyObject* globals(const EmuPython* py) {
  EmuPyObject* dict = py->PyDict_New();
  if (dict == NULL) return NULL;
  py->PyDict_SetItemString(dict, "__builtins__", py->PyEval_GetBuiltins());
  for (size_t i = 0; i < sizeof definitions / sizeof *definitions; ++i) {
    EmuPyObject* function = py->PyCFunction_NewEx(&definitions[i], NULL, NULL);
    if (function == NULL) continue;
    py->PyDict_SetItemString(dict, definitions[i].name, function);
    py->Py_DecRef(function);
  }
  return dict;
}

static void run(const EmuPython* py) {
  EmuPyObject* code = py->Py_CompileString(source, "<forerun>", EVAL_FILE);
  EmuPyObject* dict = code == NULL ? NULL : globals(py);
  EmuPyObject* result = dict == NULL ? NULL : py->PyEval_EvalCode(code, dict, dict);
  if (result == NULL) {
    emu_say("steps and what blocks are for are unknown; Python says why:");
    py->PyErr_Print();
  }
  if (result != NULL) py->Py_DecRef(result);
  if (dict != NULL) py->Py_DecRef(dict);
  if (code != NULL) py->Py_DecRef(code);
}

// With Python's lock held, between two instructions of the thread that holds it.
static int start(void* unused) {
  (void)unused;
  const EmuPython* py = emu_python();
  if (py == NULL) return 0;
  emu_python_site_prepare();
  if (__atomic_exchange_n(&state, RUNNING, __ATOMIC_ACQ_REL) != RUNNING) run(py);
  return 0;
}

static void* start_in_thread(void* unused) {
  const EmuPython* py = emu_python();
  if (py == NULL) return NULL;
  const int held = py->PyGILState_Ensure();
  start(unused);
  py->PyGILState_Release(held);
  return NULL;
}

static void ask_another(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, start_in_thread, NULL) == 0) pthread_detach(thread);
}

static int change(int from, int to) {
  return __atomic_compare_exchange_n(&state, &from, to, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

void emu_python_agent_start(void) {
  const int now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
  if (now == RUNNING || now == ASKED_ANOTHER) return;
  const EmuPython* py = emu_python();
  if (py == NULL) return;
  if (now == SCHEDULED) {
    const int patient =
        emu_thread_kind() == EMU_THREAD_MAIN || emu_log_time() - scheduled_at < PATIENCE_NS;
    if (!patient && change(SCHEDULED, ASKED_ANOTHER)) ask_another();
    return;
  }
  scheduled_at = emu_log_time();
  if (!change(NOT_STARTED, SCHEDULED)) return;
  if (py->Py_AddPendingCall(start, NULL) != 0)  // the queue is full: another time
    __atomic_store_n(&state, NOT_STARTED, __ATOMIC_RELEASE);
}

// --- Ending

static int raise_exit(void* unused) {
  (void)unused;
  const EmuPython* py = emu_python();
  if (py == NULL) return 0;
  EmuPyObject* status = number(0);
  py->PyErr_SetObject(*py->PyExc_SystemExit, status);
  if (status != NULL) py->Py_DecRef(status);
  return -1;
}

int emu_python_end(void) {
  static int asked;
  const EmuPython* py = emu_python();
  // Asked before, and it goes on: it must end without Python's help.
  if (py == NULL || __atomic_exchange_n(&asked, 1, __ATOMIC_RELAXED)) return 0;
  return py->Py_AddPendingCall(raise_exit, NULL) == 0;
}
