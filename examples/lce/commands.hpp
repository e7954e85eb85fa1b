/// @file
/// The commands of gpuimg-lce.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cube_file.hpp"
#include "slab_coder.hpp"

#include "gpuimg/codec/lce/options.hpp"

namespace gpuimg::examples {

inline constexpr std::string_view type_names[] = {"u8", "u16", "i16"};
inline constexpr std::string_view order_names[] = {"bsq", "bil", "bip"};
inline constexpr std::string_view mode_names[] = {"lossless", "near-lossless", "lossy"};

struct encode_settings {
  std::string input;
  std::string output;
  cube_hints hints;
  lce::coding_options options;
  coder_choice coder;
  bool verify = false;
  bool json = false;
  std::string quicklook;  ///< a picture to write, or nothing
  std::array<std::int64_t, 3> quicklook_bands{0, 0, 0};
};

struct decode_settings {
  std::string input;
  std::string output;
  coder_choice coder;
  std::optional<std::array<std::int64_t, 4>> window;  ///< x, y, width, height
  std::optional<std::array<std::int64_t, 2>> bands;   ///< first, count
  std::optional<interleave> order;
  bool keep_going = false;
  bool json = false;
};

struct info_settings {
  std::string input;
  bool json = false;
};

/// @throws error
void encode(const encode_settings& settings);
/// @returns whether every block was sound
bool decode(const decode_settings& settings);
void info(const info_settings& settings);

}  // namespace gpuimg::examples
