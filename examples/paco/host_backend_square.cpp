#include "codec_backend.hpp"

namespace gpuimg::examples {

template std::unique_ptr<paco_backend> make_host_backend<64, 64>(host, const paco::encode_options&);
template std::unique_ptr<paco_backend> make_host_backend<128, 128>(host, const paco::encode_options&);

}  // namespace gpuimg::examples
