#include "byte_file.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "gpuimg/core/error.hpp"

namespace gpuimg::examples {

namespace detail {

void stream_closer::operator()(std::FILE* stream) const noexcept {
  if (stream != stdin && stream != stdout) std::fclose(stream);
}

}  // namespace detail

namespace {

constexpr std::size_t peek_limit = 4096;

error io_error(const std::string& what, const std::string& name, int number) {
  return {errc::io, what + " " + name + ": " + std::generic_category().message(number)};
}

void seek_stream(std::FILE* stream, std::uint64_t offset, const std::string& name) {
  if (offset > static_cast<std::uint64_t>(std::numeric_limits<off_t>::max())) {
    throw error(errc::io, "cannot seek in " + name + ": the offset exceeds what the system allows", offset);
  }
  if (fseeko(stream, static_cast<off_t>(offset), SEEK_SET) != 0) throw io_error("cannot seek in", name, errno);
}

/// A file that has no name and vanishes when it is closed.
detail::stream_handle open_unnamed() {
  detail::stream_handle stream{std::tmpfile()};
  if (!stream) throw io_error("cannot create", "a temporary file", errno);
  return stream;
}

/// Whether `path` names something that a rename would destroy instead of fill: a device, a pipe, a directory.
bool is_special(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

bool is_link(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::is_symlink(path, ignored);
}

/// Where writing to `path` ends up: what a symbolic link points to, be it there or not, else `path`.
std::filesystem::path resolve_link(std::filesystem::path path) {
  constexpr int longest_chain = 40;
  for (int links = 0; is_link(path); ++links) {
    if (links == longest_chain) throw io_error("cannot follow the link", path.string(), ELOOP);
    std::error_code failure;
    const auto target = std::filesystem::read_symlink(path, failure);
    if (failure) throw io_error("cannot follow the link", path.string(), failure.value());
    path = path.parent_path() / target;
  }
  return path;
}

}  // namespace

input_file::input_file(const std::string& path) : name_(path == "-" ? "standard input" : path) {
  stream_.reset(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
  if (!stream_) throw io_error("cannot open", name_, errno);
  struct stat status {};
  if (fstat(fileno(stream_.get()), &status) != 0) throw io_error("cannot open", name_, errno);
  if (S_ISDIR(status.st_mode)) throw io_error("cannot open", name_, EISDIR);
  // A redirected standard input may start in the middle of its file; offsets would then not be those of the data.
  if (S_ISREG(status.st_mode) && ftello(stream_.get()) == 0) size_ = static_cast<std::uint64_t>(status.st_size);
}

std::size_t input_file::read(std::span<std::byte> bytes) {
  const std::size_t known = std::min(bytes.size(), ahead_.size());
  std::copy_n(ahead_.begin(), known, bytes.begin());
  ahead_.erase(ahead_.begin(), ahead_.begin() + static_cast<std::ptrdiff_t>(known));
  std::size_t count = known;
  if (count < bytes.size()) {
    count += std::fread(bytes.data() + known, 1, bytes.size() - known, stream_.get());
    if (count < bytes.size() && std::ferror(stream_.get()) != 0) throw io_error("cannot read", name_, errno);
  }
  position_ += count;
  return count;
}

void input_file::read_exactly(std::span<std::byte> bytes) {
  const std::size_t count = read(bytes);
  if (count < bytes.size()) {
    throw error(errc::truncated,
                name_ + " ends " + std::to_string(bytes.size() - count) + " bytes before its contents do", position_);
  }
}

int input_file::get() {
  std::byte value{};
  if (!ahead_.empty()) return read({&value, 1}) == 1 ? std::to_integer<int>(value) : -1;
  const int next = std::getc(stream_.get());
  if (next == EOF) {
    if (std::ferror(stream_.get()) != 0) throw io_error("cannot read", name_, errno);
    return -1;
  }
  ++position_;
  return next;
}

std::span<const std::byte> input_file::peek(std::size_t count) {
  if (count > peek_limit) {
    throw error(errc::invalid_argument,
                "peek: " + std::to_string(count) + " bytes are more than " + std::to_string(peek_limit));
  }
  if (ahead_.size() < count) {
    const std::size_t known = ahead_.size();
    ahead_.resize(count);
    const std::size_t got = std::fread(ahead_.data() + known, 1, count - known, stream_.get());
    ahead_.resize(known + got);
    if (known + got < count && std::ferror(stream_.get()) != 0) throw io_error("cannot read", name_, errno);
  }
  return {ahead_.data(), std::min(count, ahead_.size())};
}

void input_file::seek(std::uint64_t offset) {
  if (!seekable()) throw error(errc::unsupported, "cannot seek in " + name_ + ": it is a pipe");
  seek_stream(stream_.get(), offset, name_);
  ahead_.clear();
  position_ = offset;
}

std::vector<std::byte> input_file::read_all(std::uint64_t limit) {
  constexpr std::size_t step = std::size_t{1} << 20;
  std::vector<std::byte> bytes;
  if (size_ && *size_ > position_) bytes.reserve(static_cast<std::size_t>(std::min(*size_ - position_, limit)));
  for (;;) {
    const std::size_t known = bytes.size();
    bytes.resize(known + step);
    const std::size_t got = read(std::span(bytes).subspan(known));
    bytes.resize(known + got);
    if (bytes.size() > limit) {
      throw error(errc::out_of_memory, name_ + " is longer than the limit of " + std::to_string(limit) + " bytes");
    }
    if (got < step) return bytes;
  }
}

void input_file::make_seekable() {
  if (seekable()) return;
  auto copy = open_unnamed();
  std::vector<std::byte> chunk(std::size_t{1} << 16);
  std::uint64_t total = 0;
  for (;;) {
    const std::size_t got = read(chunk);
    if (got == 0) break;
    if (std::fwrite(chunk.data(), 1, got, copy.get()) != got) throw io_error("cannot write", "a temporary file", errno);
    total += got;
  }
  stream_ = std::move(copy);
  size_ = total;
  seek(0);
}

atomic_output_file::atomic_output_file(const std::string& path)
    : name_(path == "-" ? "standard output" : path), destination_(path) {
  if (path == "-") {
    stream_.reset(stdout);
    return;
  }
  if (is_special(destination_)) {
    stream_.reset(std::fopen(path.c_str(), "wb"));
    if (!stream_) throw io_error("cannot write to", name_, errno);
    return;
  }
  destination_ = resolve_link(destination_);
  const std::string base = destination_.string() + ".partial-" + std::to_string(getpid());
  // A name that is taken belongs to another writer of this process, or is left from an earlier one.
  constexpr int attempts = 100;
  for (int attempt = 0; !stream_; ++attempt) {
    temporary_ = attempt == 0 ? base : base + "-" + std::to_string(attempt);
    stream_.reset(std::fopen(temporary_.c_str(), "w+bx"));
    if (!stream_ && (errno != EEXIST || attempt == attempts)) throw io_error("cannot create", name_, errno);
  }
  on_signal_.emplace(temporary_.string());
}

atomic_output_file::~atomic_output_file() {
  stream_.reset();
  if (temporary_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void atomic_output_file::write(std::span<const std::byte> bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stream_.get()) != bytes.size()) {
    throw io_error("cannot write to", name_, errno);
  }
  position_ += bytes.size();
  size_ = std::max(size_, position_);
}

void atomic_output_file::make_seekable() {
  if (seekable()) return;
  if (size_ > 0) throw error(errc::invalid_argument, "make_seekable: " + name_ + " has been written to already");
  direct_ = std::exchange(stream_, open_unnamed());
}

void atomic_output_file::write(const std::string& text) { write(std::as_bytes(std::span(text))); }

void atomic_output_file::seek(std::uint64_t offset) {
  if (!seekable()) throw error(errc::unsupported, "cannot seek in " + name_ + ": it is not a regular file");
  seek_stream(stream_.get(), offset, name_);
  position_ = offset;
}

std::size_t atomic_output_file::read(std::span<std::byte> bytes) {
  seek(position_);  // C streams want this between writing and reading
  const std::size_t count = std::fread(bytes.data(), 1, bytes.size(), stream_.get());
  if (count < bytes.size() && std::ferror(stream_.get()) != 0) throw io_error("cannot read back", name_, errno);
  seek(position_ + count);
  return count;
}

void atomic_output_file::commit() {
  if (!stream_) throw error(errc::invalid_argument, "commit: " + name_ + " has been committed before");
  if (direct_) {
    seek(0);
    std::vector<std::byte> chunk(std::size_t{1} << 16);
    while (const std::size_t count = read(chunk)) {
      if (std::fwrite(chunk.data(), 1, count, direct_.get()) != count) throw io_error("cannot write to", name_, errno);
    }
    stream_ = std::move(direct_);
  }
  if (std::fflush(stream_.get()) != 0) throw io_error("cannot write to", name_, errno);
  if (stream_.get() == stdout) {
    stream_.reset();
  } else if (std::fclose(stream_.release()) != 0) {
    throw io_error("cannot write to", name_, errno);
  }
  if (temporary_.empty()) return;
  std::error_code failure;
  std::filesystem::rename(temporary_, destination_, failure);
  if (failure) throw io_error("cannot rename the finished file to", name_, failure.value());
  on_signal_.reset();
  temporary_.clear();
}

}  // namespace gpuimg::examples
