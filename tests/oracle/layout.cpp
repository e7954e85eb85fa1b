#include "tests/oracle/layout.hpp"

#include <algorithm>
#include <set>

namespace gpuimg::oracle {
namespace {

std::vector<rectangle> cut_into_blocks(const rectangle& area, coordinate width, coordinate height) {
  std::vector<rectangle> blocks;
  if (area.empty()) return blocks;
  for (coordinate y = 0; y < area.height; y += height) {
    for (coordinate x = 0; x < area.width; x += width) {
      blocks.push_back({area.x + x, area.y + y, std::min(width, area.width - x), std::min(height, area.height - y)});
    }
  }
  return blocks;
}

}  // namespace

std::uint64_t tile_count(const stream_header& header) {
  const coordinate columns = divide_up(header.width, header.tile_width);
  const coordinate rows = divide_up(header.height, header.tile_height);
  return static_cast<std::uint64_t>(columns) * static_cast<std::uint64_t>(rows);
}

rectangle tile_rectangle(const stream_header& header, std::uint64_t index) {
  const auto columns = static_cast<std::uint64_t>(divide_up(header.width, header.tile_width));
  const auto x = static_cast<coordinate>(index % columns * header.tile_width);
  const auto y = static_cast<coordinate>(index / columns * header.tile_height);
  return {x, y, std::min<coordinate>(header.tile_width, header.width - x),
          std::min<coordinate>(header.tile_height, header.height - y)};
}

std::vector<block_group> groups_of(const stream_header& header, const rectangle& tile) {
  std::vector<block_group> groups;
  for (int resolution = 0; resolution <= header.levels; ++resolution) {
    const int level = resolution == 0 ? header.levels : header.levels - resolution + 1;
    const std::vector<band> bands = resolution == 0 ? std::vector{band::ll} : std::vector{band::hl, band::lh, band::hh};
    for (int component = 0; component < header.components; ++component) {
      for (const band which : bands) {
        const rectangle area = sub_band_rectangle(tile.width, tile.height, level, which);
        const auto blocks =
            cut_into_blocks(area, coordinate{1} << header.block_width_log2, coordinate{1} << header.block_height_log2);
        if (!blocks.empty()) groups.push_back({resolution, component, level, which, blocks});
      }
    }
  }
  return groups;
}

int class_of(const stream_header& header, int component) {
  if (!header.color_transform) return std::min(component, 3);
  for (int i = 0; i < 3; ++i) {
    if (header.color_components.at(static_cast<std::size_t>(i)) == component) return i;
  }
  return 3;
}

std::vector<table_class> classes_of(const stream_header& header, const default_tables& defaults) {
  std::vector<table_class> classes;
  for (int number = 0; number < std::min<int>(header.components, class_limit); ++number) {
    const bool chroma = header.color_transform && (number == 1 || number == 2);
    classes.push_back(chroma ? defaults.chroma : defaults.luma);
  }
  return classes;
}

std::vector<chunk_key> chunks_of(const stream_header& header, const rectangle& tile) {
  std::set<int> sets;
  for (const block_group& group : groups_of(header, tile)) sets.insert(set_of(group.level, group.which));
  std::vector<chunk_key> keys;
  for (int number = 0; number < std::min<int>(header.components, class_limit); ++number) {
    for (const int set : sets) keys.emplace_back(number, set);
  }
  return keys;
}

}  // namespace gpuimg::oracle
