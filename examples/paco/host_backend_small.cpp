#include "codec_backend.hpp"

namespace gpuimg::examples {

template std::unique_ptr<paco_backend> make_host_backend<16, 16>(host, const paco::encode_options&);
template std::unique_ptr<paco_backend> make_host_backend<32, 32>(host, const paco::encode_options&);

}  // namespace gpuimg::examples
