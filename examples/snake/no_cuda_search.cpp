// Snakes on a CUDA device in builds that have none.
#include <string>

#include "search.hpp"

#include "gpuimg/core/error.hpp"

#if !GPUIMG_WITH_CUDA

namespace gpuimg::examples {

int cuda_device_count() noexcept { return 0; }

snake_findings search_on_cuda(const snake_picture&, const snake_search&, int device) {
  throw error(errc::unsupported, "--device cuda:" + std::to_string(device) + ": this program was built without CUDA");
}

}  // namespace gpuimg::examples

#endif
