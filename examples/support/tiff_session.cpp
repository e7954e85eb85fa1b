#include "tiff_session.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <limits>

namespace gpuimg::examples::detail {

int keep_tiff_error(TIFF* /*tiff*/, void* user, const char* module, const char* format, va_list arguments) {
  auto& text = static_cast<tiff_session*>(user)->text_;
  if (text[0] == '\0') {
    const int used = std::snprintf(text.data(), text.size(), "%s: ", module != nullptr ? module : "libtiff");
    const auto start = std::min(static_cast<std::size_t>(std::max(used, 0)), text.size() - 1);
    std::vsnprintf(text.data() + start, text.size() - start, format, arguments);
  }
  return 1;  // handled: the global handler, which prints, is not called
}

namespace {

#if TIFFLIB_VERSION >= 20221213
int drop_tiff_warning(TIFF*, void*, const char*, const char*, va_list) { return 1; }
#endif

int map_nothing(thandle_t, void**, toff_t*) { return 0; }
void unmap_nothing(thandle_t, void*, toff_t) {}

}  // namespace

tiff_session::tiff_session(input_file& file, std::uint64_t allocation_limit) : input_(&file) {
  open("r", allocation_limit);
  check(tiff_ != nullptr, errc::corrupt, file.name() + ": damaged TIFF");
}

tiff_session::tiff_session(atomic_output_file& file, bool is_big) : output_(&file) {
  open(is_big ? "w8" : "w", 0);
  check(tiff_ != nullptr, errc::io, "cannot write the TIFF " + file.name());
}

tiff_session::~tiff_session() {
  if (tiff_ != nullptr) TIFFClose(tiff_);
}

void tiff_session::open(const char* mode, std::uint64_t allocation_limit) {
  // For the messages of the library only.
  const char* name = "TIFF";
#if TIFFLIB_VERSION >= 20221213
  TIFFOpenOptions* options = TIFFOpenOptionsAlloc();
  if (options == nullptr) throw error(errc::out_of_memory, "libtiff cannot be started");
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<tmsize_t>::max());
  TIFFOpenOptionsSetMaxSingleMemAlloc(options, static_cast<tmsize_t>(std::min(allocation_limit, most)));
  TIFFOpenOptionsSetErrorHandlerExtR(options, keep_tiff_error, this);
  TIFFOpenOptionsSetWarningHandlerExtR(options, drop_tiff_warning, nullptr);
  tiff_ = TIFFClientOpenExt(name, mode, this, on_read, on_write, on_seek, on_close, on_size, map_nothing, unmap_nothing,
                            options);
  TIFFOpenOptionsFree(options);
#else
  static_cast<void>(allocation_limit);
  tiff_ = TIFFClientOpen(name, mode, this, on_read, on_write, on_seek, on_close, on_size, map_nothing, unmap_nothing);
#endif
}

void tiff_session::check(bool succeeded, errc code, const std::string& what) const {
  if (pending_) std::rethrow_exception(pending_);
  if (!succeeded) throw error(code, what + ": " + (text_[0] != '\0' ? text_.data() : "no reason given"));
}

/// What `call` returns, or -1 when it throws.
template <class Call>
auto tiff_session::guarded(const Call& call) noexcept -> decltype(call()) {
  try {
    return call();
  } catch (...) {
    if (!pending_) pending_ = std::current_exception();
    return static_cast<decltype(call())>(-1);
  }
}

tmsize_t tiff_session::on_read(thandle_t handle, void* bytes, tmsize_t count) {
  auto* self = static_cast<tiff_session*>(handle);
  return self->guarded([&]() -> tmsize_t {
    const std::span target(static_cast<std::byte*>(bytes), static_cast<std::size_t>(count));
    return static_cast<tmsize_t>(self->input_ != nullptr ? self->input_->read(target) : self->output_->read(target));
  });
}

tmsize_t tiff_session::on_write(thandle_t handle, void* bytes, tmsize_t count) {
  auto* self = static_cast<tiff_session*>(handle);
  return self->guarded([&]() -> tmsize_t {
    if (self->output_ == nullptr) return 0;
    self->output_->write({static_cast<const std::byte*>(bytes), static_cast<std::size_t>(count)});
    return count;
  });
}

toff_t tiff_session::on_seek(thandle_t handle, toff_t offset, int whence) {
  auto* self = static_cast<tiff_session*>(handle);
  return self->guarded([&]() -> toff_t {
    // libtiff passes negative distances in two's complement; unsigned sums wrap to what is meant.
    const bool reads = self->input_ != nullptr;
    toff_t target = offset;
    if (whence == SEEK_CUR) target += reads ? self->input_->position() : self->output_->position();
    if (whence == SEEK_END) target += on_size(handle);
    // Offsets of a damaged file may be anything; there is nothing to read there.
    if (target > static_cast<toff_t>(std::numeric_limits<std::int64_t>::max())) return static_cast<toff_t>(-1);
    if (reads) {
      self->input_->seek(target);
    } else {
      self->output_->seek(target);
    }
    return target;
  });
}

toff_t tiff_session::on_size(thandle_t handle) {
  const auto* self = static_cast<tiff_session*>(handle);
  return self->input_ != nullptr ? self->input_->size().value_or(0) : self->output_->size();
}

int tiff_session::on_close(thandle_t /*handle*/) { return 0; }

}  // namespace gpuimg::examples::detail
