// The backend on a CUDA device in builds that have none.
#include "backend.hpp"

#include "gpuimg/core/error.hpp"

#if !GPUIMG_WITH_CUDA

namespace gpuimg::examples {

int cuda_device_count() noexcept { return 0; }

std::unique_ptr<paco_backend> make_cuda_backend(int ordinal, block_size, const paco::encode_options&) {
  throw error(errc::unsupported, "--device cuda:" + std::to_string(ordinal) + ": this program was built without CUDA");
}

}  // namespace gpuimg::examples

#endif
