/// @file
/// Whole PaCo streams of version 1, both ways (docs/paco-format.md).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "tests/oracle/container.hpp"
#include "tests/oracle/layout.hpp"
#include "tests/oracle/tables.hpp"

namespace gpuimg::oracle {

/// The components of a picture or of a tile.
using picture = std::vector<plane>;

/// How a block shall be coded. N is cut to M, and an empty block has neither.
struct block_choice {
  int fast_planes = 0;
  int raw_sign_sevenths = 0;
  bool raw = false;
};

/// How a tile shall be coded.
struct tile_choice {
  bool stored = false;
  bool inline_tables = false;
  table_changes changes = {};                                                          ///< with inline tables
  std::function<block_choice(const block_group&, const rectangle& block)> block = {};  ///< absent: block_choice()
};

/// What an encoder chooses beside the header.
struct stream_choice {
  bool checksums = true;
  std::function<tile_choice(std::uint64_t index)> tile = {};  ///< absent: tile_choice()
};

/// Codes a picture with the size and the number of components of the header; its samples are in range.
byte_list encode_stream(const stream_header& header, const picture& samples, const default_tables& defaults,
                        const stream_choice& choice = {});

struct decoded_stream {
  stream_header header;
  picture samples;
};

/// Decodes any stream of version 1. Throws gpuimg::error for damage, and errc::out_of_memory for a picture of more
/// samples than the caller wants.
decoded_stream decode_stream(const byte_list& stream, const default_tables& defaults,
                             std::uint64_t sample_limit = std::uint64_t{1} << 26);

/// Between samples and coefficients of a tile: level shift, colour transform and wavelet. Samples are clamped.
picture forward_transforms(const stream_header& header, picture tile);
picture inverse_transforms(const stream_header& header, picture coefficients);

/// The header's and a block's choices for the block coder.
block_options options_of(const stream_header& header, int fast_planes, int raw_sign_sevenths);

}  // namespace gpuimg::oracle
