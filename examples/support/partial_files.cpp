#include "partial_files.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <unistd.h>
#include <utility>

namespace gpuimg::examples {

namespace {

// A signal handler can reach nothing but such a table.
std::array<std::atomic<const char*>, 16> paths;
static_assert(std::atomic<const char*>::is_always_lock_free);

extern "C" void remove_and_end(int signal) {
  for (auto& path : paths) {
    const char* name = path.exchange(nullptr);
    if (name != nullptr) unlink(name);
  }
  // The handler was reset when it was called (SA_RESETHAND): this time the signal ends the program.
  raise(signal);
}

}  // namespace

void remove_partial_files_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXCPU}) {
    struct sigaction before {};
    if (sigaction(signal, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction action {};
    action.sa_handler = &remove_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
  }
}

partial_file::partial_file(std::string path) : path_(std::move(path)) {
  for (slot_ = 0; slot_ < paths.size(); ++slot_) {
    const char* free = nullptr;
    if (paths[slot_].compare_exchange_strong(free, path_.c_str())) return;
  }
}

partial_file::~partial_file() {
  if (slot_ >= paths.size()) return;
  const char* own = path_.c_str();
  if (paths[slot_].compare_exchange_strong(own, nullptr)) return;
  // Another thread is in the handler with this name, about to end the program.
  while (true) { pause(); }
}

}  // namespace gpuimg::examples
