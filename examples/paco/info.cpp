#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "commands.hpp"
#include "stream_input.hpp"
#include "support/report.hpp"

#include "gpuimg/codec/paco/detail/tile_coding.hpp"
#include "gpuimg/codec/paco/layout.hpp"
#include "gpuimg/core/error.hpp"

namespace gpuimg::examples {

namespace {

/// Sum over some of the code-blocks.
struct block_sum {
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t empty = 0;
  std::uint64_t raw = 0;

  void add(const paco::block_record& r) {
    bytes += 2 * std::uint64_t{r.words};
    ++blocks;
    if (r.planes == 0) ++empty;
    if (r.raw) ++raw;
  }
  void add_to(json_object& object) const {
    object.add("bytes", bytes).add("blocks", blocks).add("empty_blocks", empty).add("raw_blocks", raw);
  }
};

/// Reads the indices of all tiles and adds up.
class survey {
 public:
  explicit survey(const info_settings& settings)
      : settings_(settings),
        stream_(settings.input),
        header_(stream_.header()),
        resolutions_(static_cast<std::size_t>(header_.levels) + 1),
        components_(static_cast<std::size_t>(header_.picture.components)) {
    for (std::int64_t i = 0; i < header_.tiles(); ++i) { add_tile(i); }
    stream_.finish(settings.check);
    stream_bytes_ = stream_.position();
  }

  json report() const;
  void print() const;

 private:
  void add_tile(std::int64_t index) {
    const paco::segment_header& s = stream_.next_tile(index, settings_.check);
    if (s.has_crc) ++tiles_with_crc_;
    std::vector<std::byte> front;
    stream_.read_front(front, std::min<std::uint64_t>(s.length, paco::tile_header_bytes));
    const std::uint64_t offset = stream_.payload_offset();
    const paco::tile_header t = paco::read_tile_header(front, s.length, offset);
    const paco::tile_rectangle place = paco::tile_of(header_, index);
    paco::detail::require_field(t.index == static_cast<std::uint64_t>(index), "index of a tile", t.index,
                                "the next in raster order", offset);
    if (t.stored) {
      ++stored_tiles_;
      const std::uint64_t expected = paco::stored_bytes(header_, place.width, place.height);
      paco::detail::require_field(t.block_bytes == expected, "length of a stored tile", t.block_bytes,
                                  "what its samples take", offset + 24);
      stored_bytes_ += t.block_bytes;
      return;
    }
    if (t.inline_tables) ++inline_tiles_;
    table_bytes_ += t.table_bytes;
    index_bytes_ += t.index_bytes;
    add_index(t, place, front);
  }

  void add_index(const paco::tile_header& t, const paco::tile_rectangle& place, std::vector<std::byte>& front) {
    if (layout_.width != place.width || layout_.height != place.height) {
      layout_ = paco::layout_tile(header_, place.width, place.height);
    }
    // Refused by size before it is read: no index has more than 45 bits a block.
    constexpr std::uint64_t largest_tables = 1 << 20;
    const auto blocks = static_cast<std::uint64_t>(layout_.blocks);
    const std::uint64_t largest_index = saturating_sum(saturating_product(blocks, 6), 2 * layout_.groups.size() + 2);
    const std::uint64_t offset = stream_.payload_offset();
    paco::detail::require_field(t.table_bytes <= largest_tables, "length of the tables", t.table_bytes, "below 2^20",
                                offset + 12);
    paco::detail::require_field(t.index_bytes <= largest_index, "length of the block index", t.index_bytes,
                                "what its blocks can take", offset + 16);
    require_memory(saturating_sum(saturating_product(blocks, sizeof(paco::block_record)), t.index_bytes),
                   settings_.memory_limit, stream_.name() + ": a block index");
    stream_.read_front(front, paco::tile_header_bytes + t.table_bytes + t.index_bytes);
    const auto parts = std::span<const std::byte>(front).subspan(paco::tile_header_bytes);
    const auto tables = parts.first(static_cast<std::size_t>(t.table_bytes));
    if (t.inline_tables) {
      auto values = paco::detail::starting_tables(header_);
      paco::detail::read_tables(layout_, tables, offset + paco::tile_header_bytes, values);
    }
    paco::read_index(header_, layout_, parts.subspan(tables.size()), t.block_bytes,
                     offset + paco::tile_header_bytes + t.table_bytes, records_);
    for (const paco::block_group& g : layout_.groups) {
      for (std::int64_t b = g.first_block; b < g.first_block + g.blocks(); ++b) {
        const paco::block_record& r = records_[static_cast<std::size_t>(b)];
        all_.add(r);
        resolutions_[static_cast<std::size_t>(g.resolution)].add(r);
        components_[static_cast<std::size_t>(g.component)].add(r);
      }
    }
  }

  /// Where the probabilities of the coded tiles come from: "default", "inline" or "mixed"; "none" when all are stored.
  std::string tables() const {
    const std::int64_t coded = header_.tiles() - stored_tiles_;
    return coded == 0 ? "none" : inline_tiles_ == 0 ? "default" : inline_tiles_ == coded ? "inline" : "mixed";
  }

  const info_settings& settings_;
  stream_input stream_;
  const paco::stream_header& header_;
  paco::tile_layout layout_;
  std::vector<paco::block_record> records_;
  std::vector<block_sum> resolutions_;
  std::vector<block_sum> components_;
  block_sum all_;
  std::int64_t stored_tiles_ = 0;
  std::int64_t inline_tiles_ = 0;
  std::int64_t tiles_with_crc_ = 0;
  std::uint64_t stored_bytes_ = 0;
  std::uint64_t table_bytes_ = 0;
  std::uint64_t index_bytes_ = 0;
  std::uint64_t stream_bytes_ = 0;
};

json survey::report() const {
  const paco::stream_header& h = header_;
  std::vector<json> color;
  for (const int c : h.color_components) { color.emplace_back(c); }
  std::vector<json> resolutions;
  for (std::size_t r = 0; r < resolutions_.size(); ++r) {
    json_object one;
    one.add("resolution", r);
    resolutions_[r].add_to(one);
    resolutions.push_back(one.value());
  }
  std::vector<json> components;
  for (std::size_t c = 0; c < components_.size(); ++c) {
    json_object one;
    one.add("component", c);
    components_[c].add_to(one);
    components.push_back(one.value());
  }
  json_object blocks;
  all_.add_to(blocks);
  json_object all;
  all.add("command", "info")
      .add("input", settings_.input)
      .add("stream_bytes", stream_bytes_)
      .add("width", h.picture.width)
      .add("height", h.picture.height)
      .add("components", h.picture.components)
      .add("depth", h.picture.depth)
      .add("signed", h.picture.is_signed)
      .add("lossless", h.lossless)
      .add("color_transform", h.color_transform)
      .add("color_components", h.color_transform ? json(color) : json())
      .add("levels", h.levels)
      .add("block_width", 1 << h.block_width_log2)
      .add("block_height", 1 << h.block_height_log2)
      .add("tile_width", h.tile_width)
      .add("tile_height", h.tile_height)
      .add("tiles", h.tiles())
      .add("stored_tiles", stored_tiles_)
      .add("stored_bytes", stored_bytes_)
      .add("raw_planes", h.raw_planes)
      .add("raw_signs", h.features.raw_signs)
      .add("strip_flags", h.features.strip_flags)
      .add("compact_refinement", h.features.compact_refinement)
      .add("fast_planes", h.fast_planes)
      .add("tables", tables())
      .add("table_set", h.table_id)
      .add("table_bytes", table_bytes_)
      .add("index_bytes", index_bytes_)
      .add("blocks", blocks.value())
      .add("by_resolution", resolutions)
      .add("by_component", components)
      .add("tiles_with_crc", tiles_with_crc_)
      .add("checked", settings_.check);
  return all.value();
}

void survey::print() const {
  const paco::stream_header& h = header_;
  const auto line = [](const char* label, const std::string& value) {
    std::printf("%-16s %s\n", label, value.c_str());
  };
  const auto number = [](auto n) { return std::to_string(n); };
  const auto size = [&](std::int64_t width, std::int64_t height) { return number(width) + "x" + number(height); };
  line("picture", size(h.picture.width, h.picture.height) + ", " + number(h.picture.components) + " component" +
                      (h.picture.components == 1 ? "" : "s") + " of " + number(h.picture.depth) + " bits, " +
                      (h.picture.is_signed ? "signed" : "unsigned"));
  line("lossless", h.lossless ? "yes" : "no");
  line("stream", number(stream_bytes_) + " bytes");
  line("tiles", number(h.tiles()) + " of " + size(h.tile_width, h.tile_height) +
                    (stored_tiles_ > 0 ? ", " + number(stored_tiles_) + " stored" : ""));
  const auto& c = h.color_components;
  line("colour", !h.color_transform ? "as it is"
                                    : "reversible transform of components " + number(c[0]) + ", " + number(c[1]) +
                                          ", " + number(c[2]));
  line("wavelet", "CDF 5/3, " + number(h.levels) + " levels");
  line("code-blocks", size(1 << h.block_width_log2, 1 << h.block_height_log2) + ", " + number(all_.blocks) + " (" +
                          number(all_.empty) + " empty, " + number(all_.raw) + " raw)");
  std::string features = "raw planes " + number(h.raw_planes);
  if (h.features.raw_signs) features += ", raw signs";
  if (h.features.strip_flags) features += ", strip flags";
  if (h.features.compact_refinement) features += ", compact refinement";
  if (h.fast_planes) features += ", fast planes";
  line("coder", features);
  line("tables", tables() + " (set " + number(h.table_id) + "), " + number(table_bytes_) + " bytes");
  line("block index", number(index_bytes_) + " bytes");
  if (stored_tiles_ > 0) line("stored samples", number(stored_bytes_) + " bytes");
  const auto share = [&](const block_sum& sum) {
    return number(sum.bytes) + " bytes, " + number(sum.blocks) + " blocks (" + number(sum.empty) + " empty, " +
           number(sum.raw) + " raw)";
  };
  for (std::size_t r = 0; r < resolutions_.size(); ++r) {
    line(("resolution " + number(r)).c_str(), share(resolutions_[r]));
  }
  constexpr std::size_t shown = 16;
  for (std::size_t i = 0; i < std::min(shown, components_.size()); ++i) {
    line(("component " + number(i)).c_str(), share(components_[i]));
  }
  if (components_.size() > shown) line("", number(components_.size() - shown) + " more components, see --json");
  if (settings_.check) {
    line("check",
         "structure sound, CRC-32 of " + number(tiles_with_crc_) + " of " + number(h.tiles()) + " tiles right");
  }
}

}  // namespace

int info(const info_settings& settings) {
  const survey result(settings);
  if (settings.report == report_kind::json) {
    std::printf("%s\n", result.report().text().c_str());
  } else {
    result.print();
  }
  return 0;
}

}  // namespace gpuimg::examples
