// What runs inside a Python program to hear its optimizers and tell what blocks are for.
#pragma once

// At the first block of PyTorch's allocator and any time later: has the agent started in the main
// thread as soon as that thread runs Python. Does not wait.
void emu_python_agent_start(void);

// Ends the program with status 0, as sys.exit would; false when there is no Python to do it.
int emu_python_end(void);
// The same for any program.
void emu_end_program(void);
