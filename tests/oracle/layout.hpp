/// @file
/// The header of a stream, its tiles, sub-bands and code-blocks (docs/paco-format.md, sections 1 and 4).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tests/oracle/grid.hpp"
#include "tests/oracle/tables.hpp"
#include "tests/oracle/wavelet.hpp"

namespace gpuimg::oracle {

/// The fields of HEAD that a program chooses.
struct stream_header {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::uint32_t tile_width = 4096;
  std::uint32_t tile_height = 4096;
  std::uint16_t components = 1;
  std::array<std::uint16_t, 3> color_components = {0, 0, 0};
  std::uint8_t depth = 8;
  bool is_signed = false;
  bool lossless = true;
  bool color_transform = false;
  std::uint8_t levels = 5;
  std::uint8_t block_width_log2 = 6;
  std::uint8_t block_height_log2 = 6;
  std::uint8_t raw_planes = 0;
  bool raw_signs = false;
  bool strip_flags = false;
  bool compact_refinement = false;
  bool fast_planes = false;

  bool operator==(const stream_header&) const = default;
};

/// Tiles in raster order.
std::uint64_t tile_count(const stream_header& header);
rectangle tile_rectangle(const stream_header& header, std::uint64_t index);

/// The blocks of one (resolution, component, sub-band).
struct block_group {
  int resolution = 0;
  int component = 0;
  int level = 0;  ///< 1 is the finest; the number of levels for LL
  band which = band::ll;
  std::vector<rectangle> blocks;  ///< in the transformed plane of the tile
};

/// The groups of a tile in the order of the stream, without those of no blocks.
std::vector<block_group> groups_of(const stream_header& header, const rectangle& tile);

/// Class of a component.
int class_of(const stream_header& header, int component);

/// The default tables of each class of a tile.
std::vector<table_class> classes_of(const stream_header& header, const default_tables& defaults);

/// The chunks that the inline tables of a tile consist of.
std::vector<chunk_key> chunks_of(const stream_header& header, const rectangle& tile);

}  // namespace gpuimg::oracle
