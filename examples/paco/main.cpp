// gpuimg-paco: pictures to PaCo streams and back (docs/paco-format.md).
#include <CLI/CLI.hpp>
#include <string>

#include "commands.hpp"
#include "support/command_line.hpp"

#include "gpuimg/core/error.hpp"

namespace {

using namespace gpuimg;
using namespace gpuimg::examples;

/// "64", where a square is allowed, or "64x32".
bool parse_size(std::string_view text, bool square, std::int64_t& width, std::int64_t& height) {
  const std::size_t cross = text.find('x');
  if (cross == std::string_view::npos) {
    if (!square || !parse_number(text, width)) return false;
    height = width;
    return true;
  }
  return parse_number(text.substr(0, cross), width) && parse_number(text.substr(cross + 1), height);
}

/// "123", "16K", "512M", "16G", "1T" in powers of 1024.
bool parse_bytes(std::string_view text, std::uint64_t& bytes) {
  int shift = 0;
  if (!text.empty()) {
    switch (text.back()) {
      case 'k':
      case 'K': shift = 10; break;
      case 'm':
      case 'M': shift = 20; break;
      case 'g':
      case 'G': shift = 30; break;
      case 't':
      case 'T': shift = 40; break;
      default: break;
    }
    if (shift > 0) text.remove_suffix(1);
  }
  if (!parse_number(text, bytes) || bytes > (UINT64_MAX >> shift)) return false;
  bytes <<= shift;
  return true;
}

/// The options that commands share, as text.
struct shared_options {
  std::string device = "auto";
  unsigned threads = 0;
  std::string memory_limit = "16G";
  bool json = false;
  bool quiet = false;

  void add_memory_limit(CLI::App& command) {
    command.add_option("--memory-limit", memory_limit, "most bytes that a stream may ask for; suffixes K, M, G, T")
        ->capture_default_str();
  }
  void add_report(CLI::App& command, bool can_be_quiet) {
    auto* wants_json = command.add_flag("--json", json, "report as one JSON object");
    if (can_be_quiet) command.add_flag("-q,--quiet", quiet, "report nothing")->excludes(wants_json);
  }

  device_choice chosen_device() const {
    using where = device_choice::where;
    device_choice choice;
    choice.threads = threads;
    if (const auto number = parse_device(device)) {
      choice.kind = *number < 0 ? where::host : where::cuda;
      choice.ordinal = *number;
    }
    return choice;
  }
  std::uint64_t chosen_memory_limit() const {
    std::uint64_t bytes = 0;
    require(parse_bytes(memory_limit, bytes), "--memory-limit",
            memory_limit + " is not a number of bytes such as 512M");
    return bytes;
  }
  report_kind report() const { return json ? report_kind::json : quiet ? report_kind::none : report_kind::text; }
};

struct encode_options_text {
  std::string block = "64";
  std::string tile;
  std::string color_components;
  bool no_color_transform = false;
  bool no_raw_signs = false;
  bool no_strip_flags = false;
};

void add_encode(CLI::App& app, encode_settings& s, encode_options_text& text, shared_options& shared) {
  CLI::App& command = *app.add_subcommand("encode", "a picture to a stream, without loss");
  command.add_option("input", s.input, "PNG, PNM, PAM or TIFF file, or - for standard input")->required();
  command.add_option("output", s.output, "stream to write, or - for standard output")->required();
  s.options.levels = 5;
  command.add_option("--levels", s.options.levels, "levels of the wavelet transform")
      ->check(CLI::Range(0, 32))
      ->capture_default_str();
  command.add_option("--block", text.block, "code-blocks: 16, 32, 64, 128, or 64x32, 32x64, 128x64, 64x128")
      ->capture_default_str();
  command.add_option("--tile", text.tile,
                     "WxH: cut into tiles, held in memory a row of tiles at a time; else one tile");
  add_device(command, shared.device, shared.threads);
  command.add_flag("--crc", s.options.crc, "a CRC-32 behind each segment");
  command.add_flag("--verify", s.verify, "decode every tile and compare every sample");
  command.add_option("--tables", s.tables, "auto (fitted to the picture), default, or a file of gpuimg-train-tables")
      ->capture_default_str();
  const char* group = "Coder";
  command.add_option("--raw-planes", s.options.raw_planes, "lowest planes with uncoded refinement bits")
      ->check(CLI::Range(0, 24))
      ->capture_default_str()
      ->group(group);
  command.add_option("--fast-planes", s.options.fast_planes, "lowest planes of a block coded in one scan")
      ->check(CLI::Range(0, 24))
      ->capture_default_str()
      ->group(group);
  command.add_flag("--no-raw-signs", text.no_raw_signs, "code every sign")->group(group);
  command.add_flag("--no-strip-flags", text.no_strip_flags, "no flags for strips that stay insignificant")
      ->group(group);
  command.add_flag("--compact-refinement", s.options.features.compact_refinement, "refinement bits without gaps")
      ->group(group);
  auto* none = command.add_flag("--no-color-transform,--no-colour-transform", text.no_color_transform,
                                "code components as they are");
  none->group(group);
  command
      .add_option("--color-components,--colour-components", text.color_components,
                  "R,G,B: components of the colour transform (0,1,2 for pictures of 3 or 4 components)")
      ->excludes(none)
      ->group(group);
  shared.add_report(command, true);
}

void finish_encode(encode_settings& s, const encode_options_text& text, const shared_options& shared) {
  std::int64_t width = 0;
  std::int64_t height = 0;
  const auto is_side = [](std::int64_t n) { return n == 16 || n == 32 || n == 64 || n == 128; };
  require(parse_size(text.block, true, width, height) && is_side(width) && is_side(height), "--block",
          text.block + " is not 16, 32, 64, 128 or two of them such as 64x32");
  s.block = {static_cast<int>(width), static_cast<int>(height)};
  if (!text.tile.empty()) {
    constexpr std::int64_t most = 0xFFFFFFFF;
    require(parse_size(text.tile, false, width, height) && width >= 1 && height >= 1 && width <= most && height <= most,
            "--tile", text.tile + " is not a size such as 2048x2048");
    s.options.tile_width = width;
    s.options.tile_height = height;
  }
  if (text.no_raw_signs) s.options.features.raw_signs = false;
  if (text.no_strip_flags) s.options.features.strip_flags = false;
  if (text.no_color_transform) s.color_transform = false;
  if (!text.color_components.empty()) {
    std::string_view rest = text.color_components;
    bool good = true;
    for (std::size_t i = 0; i < 3 && good; ++i) {
      const std::size_t comma = rest.find(',');
      good = parse_number(rest.substr(0, comma), s.options.color_components[i]) &&
             (comma == std::string_view::npos) == (i == 2);
      rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    }
    const auto& c = s.options.color_components;
    require(good && c[0] != c[1] && c[1] != c[2] && c[0] != c[2], "--color-components",
            text.color_components + " is not three different components such as 0,1,2");
    s.color_transform = true;
  }
  s.device = shared.chosen_device();
  s.report = shared.report();
}

void add_decode(CLI::App& app, decode_settings& s, std::string& format, shared_options& shared) {
  CLI::App& command = *app.add_subcommand("decode", "a stream to a picture");
  command.add_option("input", s.input, "stream, or - for standard input")->required();
  command
      .add_option("output", s.output,
                  "file to write: .png .pbm .pgm .ppm .pnm .pam .tif .tiff, or - for standard output")
      ->required();
  command.add_option("--format", format, "png, pbm, pgm, ppm, pnm, pam or tiff; by the extension when left out");
  add_device(command, shared.device, shared.threads);
  shared.add_memory_limit(command);
  shared.add_report(command, true);
}

void finish_decode(decode_settings& s, const std::string& format, const shared_options& shared) {
  if (!format.empty()) {
    s.kind = kind_from_name(format);
    require(s.kind.has_value(), "--format", format + " is not a known kind of file");
  } else if (s.output != "-") {
    try {
      s.kind = kind_from_path(s.output);
    } catch (const error& problem) { throw CLI::ValidationError("output", problem.what()); }
  }
  s.device = shared.chosen_device();
  s.memory_limit = shared.chosen_memory_limit();
  s.report = shared.report();
}

/// Everything that the command line can say.
class command_line {
 public:
  command_line() {
    add_version(app_);
    app_.require_subcommand(1);
    app_.footer("Exit status: 0 done, 1 failed or different, 2 wrong usage.");
    add_encode(app_, encode_, encode_text_, encode_shared_);
    add_decode(app_, decode_, format_, decode_shared_);

    CLI::App& show = *app_.add_subcommand("info", "what a stream holds, without decoding it");
    show.add_option("input", info_.input, "stream, or - for standard input")->required();
    show.add_flag("--check", info_.check, "read everything: verify each CRC-32");
    info_shared_.add_memory_limit(show);
    info_shared_.add_report(show, false);

    CLI::App& diff = *app_.add_subcommand("compare", "two pictures, sample by sample");
    diff.add_option("first", compare_.first, "PNG, PNM, PAM or TIFF file, or - for standard input")->required();
    diff.add_option("second", compare_.second, "the other; one of them may be -")->required();
    compare_shared_.add_report(diff, true);
  }

  /// Parses, and runs the command. @returns the exit status.
  int run(int argc, char** argv) {
    const auto is_named = [&](const CLI::App* command) { return command->get_name() == argv[1]; };
    if (argc > 1 && argv[1][0] != '-' && app_.get_subcommands(is_named).empty()) {
      throw CLI::ValidationError(argv[1], "is no command; there are encode, decode, info and compare");
    }
    app_.parse(argc, argv);
    if (app_.got_subcommand("encode")) {
      finish_encode(encode_, encode_text_, encode_shared_);
      return encode(encode_);
    }
    if (app_.got_subcommand("decode")) {
      finish_decode(decode_, format_, decode_shared_);
      return decode(decode_);
    }
    if (app_.got_subcommand("info")) {
      info_.memory_limit = info_shared_.chosen_memory_limit();
      info_.report = info_shared_.report();
      return info(info_);
    }
    require(compare_.first != "-" || compare_.second != "-", "second", "only one picture can be the standard input");
    compare_.report = compare_shared_.report();
    return compare(compare_);
  }

  const CLI::App& app() const noexcept { return app_; }

 private:
  CLI::App app_{"Codes pictures without loss into PaCo streams, and decodes them.", "gpuimg-paco"};
  encode_settings encode_;
  encode_options_text encode_text_;
  shared_options encode_shared_;
  decode_settings decode_;
  std::string format_;
  shared_options decode_shared_;
  info_settings info_;
  shared_options info_shared_;
  compare_settings compare_;
  shared_options compare_shared_;
};

}  // namespace

int main(int argc, char** argv) {
  command_line line;
  return run_program(line.app(), [&] { return line.run(argc, argv); });
}
