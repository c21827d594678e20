// A thread that does what is queued, in order; and events between such threads.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace assay::hplgpu {

class HostEvent {
 public:
  void pass() {
    const std::lock_guard lock(mutex_);
    passed_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return passed_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool passed_ = false;
};

class HostQueue {
 public:
  HostQueue() : thread_([this] { work(); }) {}
  ~HostQueue() {
    add(nullptr);
    thread_.join();
  }
  HostQueue(const HostQueue&) = delete;
  HostQueue& operator=(const HostQueue&) = delete;

  void add(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    changed_.notify_all();
  }

  void drain() {
    const auto event = std::make_shared<HostEvent>();
    add([event] { event->pass(); });
    event->wait();
  }

 private:
  void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !tasks_.empty(); });
      const auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      if (!task) return;
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::thread thread_;
};

// Events by number. One that is recorded again is another event: who waited for the earlier one still does.
class HostEvents {
 public:
  void record(HostQueue& queue, int number) {
    const auto event = std::make_shared<HostEvent>();
    events_[number] = event;
    queue.add([event] { event->pass(); });
  }
  void hold(HostQueue& queue, int number) {
    if (const auto event = events_[number]) queue.add([event] { event->wait(); });
  }
  void wait(int number) {
    if (const auto event = events_[number]) event->wait();
  }

 private:
  std::map<int, std::shared_ptr<HostEvent>> events_;
};

}  // namespace assay::hplgpu
