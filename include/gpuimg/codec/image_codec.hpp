/// @file
/// A wavelet codec as a type put together from its parts. Swapping a part gives another codec:
/// @code
/// using photo = image_codec<reversible_color, wavelet<cdf_5_3, 5>, no_quantizer, paco_coder<64, 64>>;
/// using planes = image_codec<no_color, wavelet<cdf_5_3, 3>, no_quantizer, paco_coder<32, 32>>;
/// @endcode
#pragma once

#include "gpuimg/codec/bitplane_block.hpp"
#include "gpuimg/codec/cdf_5_3.hpp"
#include "gpuimg/codec/reversible_color.hpp"

namespace gpuimg::codec {

/// Components are coded as they are.
struct no_color {};

/// A dyadic decomposition by `Filter` with `Levels` levels unless the options say otherwise.
template <class Filter, int Levels>
struct wavelet {
  static_assert(Levels >= 0 && Levels <= 32, "levels: 0..32");
  using filter = Filter;
  static constexpr int levels = Levels;
};

/// Coefficients are coded as they are: lossless with a reversible transform.
struct no_quantizer {};

/// The bitplane coder with blocks of Width x Height. `Features` fixes the coder's features at compile time
/// (static_coder_features), or leaves them to the options (coder_features).
template <int Width, int Height, class Features = coder_features>
struct paco_coder {
  using shape = block_shape<Width, Height>;
  using features = Features;
};

/// What encoder, decoder and kernels are made from.
template <class Color, class Wavelet, class Quantizer, class BlockCoder>
struct image_codec {
  using color = Color;
  using wavelet = Wavelet;
  using quantizer = Quantizer;
  using block_coder = BlockCoder;
};

}  // namespace gpuimg::codec
