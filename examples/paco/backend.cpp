#include "backend.hpp"

#include <array>

#include "gpuimg/core/error.hpp"
#include "gpuimg/core/execution.hpp"

namespace gpuimg::examples {

template <int Width, int Height>
std::unique_ptr<paco_backend> make_host_backend(host execution, const paco::encode_options& options);

namespace {

struct shape_entry {
  block_size block;
  std::unique_ptr<paco_backend> (*make)(host, const paco::encode_options&);
};

template <int Width, int Height>
constexpr shape_entry entry() {
  return {{Width, Height}, &make_host_backend<Width, Height>};
}

constexpr std::array shapes = {entry<16, 16>(), entry<32, 32>(), entry<64, 64>(),  entry<128, 128>(),
                               entry<64, 32>(), entry<32, 64>(), entry<128, 64>(), entry<64, 128>()};

std::string text_of(block_size block) { return std::to_string(block.width) + "x" + std::to_string(block.height); }

std::unique_ptr<paco_backend> make_host(unsigned threads, block_size block, const paco::encode_options& options) {
  std::string known;
  for (const shape_entry& s : shapes) {
    if (s.block == block) return s.make(host{threads}, options);
    known += (known.empty() ? "" : ", ") + text_of(s.block);
  }
  throw error(errc::unsupported, "code-blocks of " + text_of(block) + " are not built in; there are " + known);
}

}  // namespace

std::unique_ptr<paco_backend> make_backend(const device_choice& device, block_size block,
                                           const paco::encode_options& options) {
  using where = device_choice::where;
  if (device.kind == where::cuda) return make_cuda_backend(device.ordinal, block, options);
  if (device.kind == where::automatic && cuda_device_count() > 0) {
    try {
      return make_cuda_backend(0, block, options);
    } catch (const error& problem) {
      if (problem.code() != errc::unsupported) throw;  // what it cannot do, the host can
    }
  }
  return make_host(device.threads, block, options);
}

}  // namespace gpuimg::examples
