#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "commands.hpp"
#include "stream_input.hpp"
#include "support/byte_file.hpp"
#include "support/picture_io.hpp"
#include "support/report.hpp"

#include "gpuimg/codec/paco/format.hpp"
#include "gpuimg/core/error.hpp"

namespace gpuimg::examples {

namespace {

using table_array = std::array<paco::class_table, paco::table_classes>;

/// The four classes of a file written by gpuimg-train-tables --file.
/// @throws error io, corrupt
std::unique_ptr<table_array> read_tables_file(const std::string& path) {
  input_file file(path);
  auto tables = std::make_unique<table_array>();
  std::size_t got = 0;
  for (auto& table : *tables) { got += file.read(std::as_writable_bytes(std::span(table))); }
  constexpr std::size_t expected = paco::table_classes * std::size_t{paco::class_cells};
  if (got != expected || file.get() >= 0) {
    throw error(errc::corrupt, file.name() + ": a table file has " + std::to_string(expected) + " bytes, this one " +
                                   (got != expected ? std::to_string(got) : "more"));
  }
  return tables;
}

paco::picture_format paco_format(const picture_reader& reader, const std::string& path) {
  const picture_format& f = reader.format();
  if (f.depth > 16) {
    throw error(errc::unsupported,
                path + ": samples of " + std::to_string(f.depth) + " bits; PaCo streams hold depths of 1 to 16");
  }
  return {f.width, f.height, f.components, f.depth, f.is_signed};
}

/// One picture on its way into a stream.
class encoding {
 public:
  encoding(const encode_settings& settings, picture_reader& reader)
      : settings_(settings),
        reader_(reader),
        backend_(make_backend(settings.device, settings.block, settings.options)),
        header_(backend_->header(paco_format(reader, settings.input))) {}

  void run() {
    atomic_output_file file(settings_.output);
    write(
        file, [&](std::span<std::byte> out) { return backend_->begin(header_, out); }, around_tiles);
    progress bar("gpuimg-paco: encoding");
    const auto row_bytes = static_cast<std::uint64_t>(reader_.format().bytes_per_row());
    for (std::int64_t i = 0; i < header_.tiles(); ++i) {
      const paco::tile_rectangle t = paco::tile_of(header_, i);
      if (t.x == 0) samples_ = read_rows(t.height, row_bytes, bar);
      encode_tile(file, i, t, row_bytes);
      bar.show(reading_steps + i + 1, reading_steps + header_.tiles());
    }
    write(
        file, [&](std::span<std::byte> out) { return backend_->end(out); }, around_tiles);
    file.commit();
    stream_bytes_ = file.size();
  }

  json report() const;
  std::string summary() const;

 private:
  static constexpr std::uint64_t around_tiles = 256;  // more than start and HEAD, or END, take
  static constexpr std::int64_t reading_steps = 1;    // reading a picture of one tile counts as one more

  template <class Make>
  void write(atomic_output_file& file, const Make& make, std::uint64_t bound) {
    const auto out = stream_.take(bound);
    file.write(out.first(static_cast<std::size_t>(make(out))));
  }

  /// A row of tiles.
  std::span<std::byte> read_rows(std::int64_t count, std::uint64_t row_bytes, progress& bar) {
    const auto rows = rows_.take(saturating_product(static_cast<std::uint64_t>(count), row_bytes));
    constexpr std::int64_t step = 64;
    for (std::int64_t y = 0; y < count; y += step) {
      const std::int64_t n = std::min(step, count - y);
      reader_.read_rows(n,
                        rows.subspan(static_cast<std::size_t>(y) * row_bytes, static_cast<std::size_t>(n) * row_bytes));
      if (header_.tiles() == 1) bar.show(y + n, (reading_steps + 1) * count);
    }
    return rows;
  }

  void encode_tile(atomic_output_file& file, std::int64_t index, const paco::tile_rectangle& t,
                   std::uint64_t row_bytes) {
    const picture_format& f = reader_.format();
    const std::size_t pixel_bytes =
        static_cast<std::size_t>(f.components) * static_cast<std::size_t>(f.bytes_per_sample());
    const tile_samples tile{samples_.data() + static_cast<std::size_t>(t.x) * pixel_bytes, t.width, t.height,
                            f.components, static_cast<std::int64_t>(row_bytes)};
    const auto out = stream_.take(paco::tile_bound(header_, t.width, t.height));
    std::uint64_t size = 0;
    {
      const timed_scope time(seconds_);
      size = backend_->encode_tile(header_, tile, index, out);
    }
    const auto segment = out.first(static_cast<std::size_t>(size));
    if (settings_.verify) {
      // A second copy of the picture and of its coefficients: the first gives way.
      if (header_.tiles() == 1) backend_->release();
      const timed_scope time(verify_seconds_);
      verify_tile(segment, tile, index, file.position(), static_cast<std::size_t>(t.width) * pixel_bytes);
    }
    file.write(segment);
  }

  /// Decodes a tile's segment and compares its samples.
  /// @throws error corrupt
  void verify_tile(std::span<const std::byte> segment, const tile_samples& tile, std::int64_t index,
                   std::uint64_t offset, std::size_t row_bytes) {
    const auto decoded = decoded_.take(row_bytes * static_cast<std::uint64_t>(tile.height));
    const paco::segment_header s = paco::read_segment_header(segment, offset);
    if (s.has_crc) paco::check_segment_crc(segment, offset);
    const auto payload = segment.subspan(paco::segment_header_bytes, static_cast<std::size_t>(s.length));
    backend_->decode_tile(
        header_, payload, index, offset + paco::segment_header_bytes,
        {decoded.data(), tile.width, tile.height, tile.components, static_cast<std::int64_t>(row_bytes)});
    for (std::int64_t y = 0; y < tile.height; ++y) {
      const std::byte* original = tile.first + y * tile.row_bytes;
      if (std::memcmp(original, decoded.data() + static_cast<std::size_t>(y) * row_bytes, row_bytes) != 0) {
        throw error(errc::corrupt, "--verify: row " + std::to_string(y) + " of tile " + std::to_string(index) +
                                       " does not decode to the samples of " + settings_.input);
      }
    }
  }

  std::uint64_t sample_count() const {
    const picture_format& f = reader_.format();
    return static_cast<std::uint64_t>(f.samples_per_row()) * static_cast<std::uint64_t>(f.height);
  }
  double bits_per_sample() const {
    return 8 * static_cast<double>(stream_bytes_) / static_cast<double>(sample_count());
  }

  const encode_settings& settings_;
  picture_reader& reader_;
  std::unique_ptr<paco_backend> backend_;
  paco::stream_header header_;
  byte_buffer rows_;
  byte_buffer stream_;
  byte_buffer decoded_;
  std::span<std::byte> samples_;
  std::uint64_t stream_bytes_ = 0;
  double seconds_ = 0;
  double verify_seconds_ = 0;
  stopwatch total_;
};

json encoding::report() const {
  const picture_format& f = reader_.format();
  const auto raw = static_cast<std::uint64_t>(f.bytes());
  const paco::encode_options& o = settings_.options;
  std::vector<json> color;
  for (const int c : header_.color_components) { color.emplace_back(c); }
  json_object all;
  all.add("command", "encode")
      .add("input", settings_.input)
      .add("output", settings_.output)
      .add("width", f.width)
      .add("height", f.height)
      .add("components", f.components)
      .add("depth", f.depth)
      .add("signed", f.is_signed)
      .add("raw_bytes", raw)
      .add("stream_bytes", stream_bytes_)
      .add("ratio", static_cast<double>(raw) / static_cast<double>(stream_bytes_))
      .add("bits_per_sample", bits_per_sample())
      .add("device", backend_->device())
      .add("seconds", seconds_)
      .add("msamples_per_second", static_cast<double>(sample_count()) / seconds_ / 1e6)
      .add("verified", settings_.verify);
  if (settings_.verify) all.add("verify_seconds", verify_seconds_);
  all.add("total_seconds", total_.seconds()).add("peak_bytes", peak_bytes());
  all.add("settings", json_object()
                          .add("levels", header_.levels)
                          .add("block_width", 1 << header_.block_width_log2)
                          .add("block_height", 1 << header_.block_height_log2)
                          .add("tile_width", header_.tile_width)
                          .add("tile_height", header_.tile_height)
                          .add("tiles", header_.tiles())
                          .add("color_transform", header_.color_transform)
                          .add("color_components", header_.color_transform ? json(color) : json())
                          .add("tables", settings_.tables)
                          .add("raw_planes", header_.raw_planes)
                          .add("raw_signs", header_.features.raw_signs)
                          .add("strip_flags", header_.features.strip_flags)
                          .add("compact_refinement", header_.features.compact_refinement)
                          .add("fast_planes", o.fast_planes)
                          .add("crc", o.crc)
                          .value());
  return all.value();
}

std::string encoding::summary() const {
  const auto raw = static_cast<std::uint64_t>(reader_.format().bytes());
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), "%s -> %s, ratio %.3f, %.3f bits a sample, %.3f s on %s%s",
                short_bytes(raw).c_str(), short_bytes(stream_bytes_).c_str(),
                static_cast<double>(raw) / static_cast<double>(stream_bytes_), bits_per_sample(), seconds_,
                backend_->device().c_str(), settings_.verify ? ", verified" : "");
  return text.data();
}

}  // namespace

int encode(encode_settings settings) {
  const auto reader = picture_reader::open(settings.input);
  std::unique_ptr<table_array> tables;
  if (settings.tables == "default") {
    settings.options.choice = paco::table_choice::standard;
  } else if (settings.tables != "auto") {
    tables = read_tables_file(settings.tables);
    settings.options.choice = paco::table_choice::given;
    settings.options.tables = tables.get();
  }
  const int components = reader->format().components;
  settings.options.color_transform = settings.color_transform.value_or(components == 3 || components == 4);
  if (settings.color_transform.value_or(false) && components < 3) {
    throw error(errc::invalid_argument,
                "--color-components: the picture has " + std::to_string(components) + ", the colour transform takes 3");
  }
  encoding work(settings, *reader);
  work.run();
  std::FILE* out = settings.output == "-" ? stderr : stdout;
  if (settings.report == report_kind::json) std::fprintf(out, "%s\n", work.report().text().c_str());
  if (settings.report == report_kind::text) std::fprintf(out, "%s\n", work.summary().c_str());
  return 0;
}

}  // namespace gpuimg::examples
