// What LibTorch's optimizers in C++ hold.
#pragma once

// Tells the log which blocks are the parameters of a torch::optim::Optimizer and their gradients,
// as far as the LibTorch in this process can be asked; nothing where it cannot.
void emu_categorise_parameters(void* optimizer);
