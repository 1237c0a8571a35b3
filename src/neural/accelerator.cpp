#include "neural/accelerator.h"

#include <ATen/Parallel.h>

#include <exception>

#include "neural/trainings.h"

namespace sotto::neural {

void keep_to_this_thread() { at::init_num_threads(); }

Result<at::Device> torch_device(Accelerator accelerator) {
  use_one_thread_a_call();
  if (accelerator == Accelerator::cpu) return at::Device(at::kCPU);
  try {
    at::Context& context = at::globalContext();
    if (!at::Context::hasCUDART())
      return fail(Code::not_found,
                  "cuda: the neural module was built with a libtorch that knows no CUDA; build it with one "
                  "that does (docs/accelerator.md) or take cpu");
    if (!at::Context::hasCUDA())
      return fail(Code::not_found, "cuda: no card was found, or its driver does not answer; take cpu");
    context.setDeterministicCuDNN(true);
    context.setBenchmarkCuDNN(false);
    context.setAllowTF32CuDNN(false);
    context.setAllowTF32CuBLAS(false);
  } catch (const std::exception& error) {
    const std::string text = error.what();
    return fail(Code::io, "cuda: libtorch could not use the card: " + text.substr(0, text.find('\n')));
  }
  return at::Device(at::kCUDA, 0);
}

}  // namespace sotto::neural
