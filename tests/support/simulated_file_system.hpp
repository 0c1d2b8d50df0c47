#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/file_system.hpp"
#include "tests/support/simulated_node.hpp"

// A disk in memory that keeps apart what was written and what is durable, for tests of recovery and of failing disks.
//
// - A file's content becomes durable page by page (4 KiB) when it is synced, a directory's entries (files made, renamed, removed) when the
//   directory is synced. crash() is a power cut: what is not durable is gone, or by chance is not, in any mixture.
// - A sync that fails forgets which pages were dirty, as Linux does: they can still be read, but only writing them again and another sync
//   makes them durable.
// - Faults are injected by kind and count. Everything random comes from the seed. Any thread may call.

namespace pystream::tests {

enum class call : std::uint8_t {
    open,
    read,
    write,
    truncate,
    sync,
    sync_directory,
    sync_all_files,
    rename,
    remove,
    create_directory,
    list,
    lock
};

class simulated_file_system final : public io::file_system {
public:
    explicit simulated_file_system(std::uint64_t seed = 1);
    ~simulated_file_system() override;

    // Faults
    void fail(call kind, std::size_t nth, base::errc code,
              std::string path_part = {});  // once: the nth such call from now (1 = the next)
    void clear_faults();
    void set_space_bytes(std::optional<std::uint64_t> bytes);  // of all files together; a write that does not fit is cut short
    void set_read_only(bool read_only);
    void set_supports_sync_all_files(bool supported);
    // The nth changing call from now (a write: by half) and everything behind it does not happen: all calls fail until crash().
    void power_off_at(std::size_t nth_change);
    bool is_off() const;
    // Asked before every call; an answer makes it fail. A write that fails so has written a part before.
    using fault_policy = std::function<std::optional<base::errc>(call kind, const std::string& path)>;
    void set_fault_policy(fault_policy policy);
    // Told before every changing call, and sometimes in the middle of a write: a moment at which the power may go. It may clone().
    void set_change_listener(std::function<void()> listener);
    // The same disk once more, cache included; no open files, no faults planned.
    std::unique_ptr<simulated_file_system> clone(std::uint64_t seed) const;

    // Power loss and start: open files and locks become useless, faults and power_off_at are forgotten.
    void crash(crash_keeps what);

    // Looking and touching from outside, without faults; touching is durable at once.
    std::optional<std::string> content(const std::string& path) const;
    void set_content(const std::string& path, std::string_view bytes);
    void erase(const std::string& path);
    std::size_t count(call kind) const;  // calls so far, failed ones included
    std::size_t changes() const;         // changing calls so far
    std::uint64_t bytes_read() const;
    std::vector<std::string> trace()
        const;  // changing calls that succeeded: "write PATH POSITION BYTES", "sync PATH", "rename FROM TO", ...

    // io::file_system
    base::result<std::shared_ptr<io::file>> open(const std::string& path, io::open_mode mode) override;
    base::result<std::vector<io::directory_entry>> list(const std::string& directory) override;
    base::result<bool> exists(const std::string& path) override;
    base::result<void> create_directory(const std::string& path) override;
    base::result<void> rename(const std::string& from, const std::string& to) override;
    base::result<void> remove(const std::string& path) override;
    base::result<void> sync_directory(const std::string& path) override;
    base::result<std::unique_ptr<io::directory_lock>> lock(const std::string& path) override;
    bool supports_sync_all_files(const std::string& root) override;
    base::result<void> sync_all_files(const std::string& root) override;

private:
    friend class simulated_file;
    friend class simulated_lock;
    struct planned_fault;
    using change_group = std::vector<entry_change>;  // happens whole or not at all

    std::optional<base::error> enter(call kind, const std::string& path, bool changes);
    node_ptr find(const std::string& path) const;
    void change_entries(change_group group);
    static void make_durable(const change_group& group);
    std::uint64_t used_bytes() const;
    void note(std::string line);

    void tell_listener();

    mutable std::recursive_mutex mutex_;
    std::mt19937_64 random_;
    node_ptr root_;
    std::vector<change_group> pending_;
    std::vector<planned_fault> faults_;
    std::map<call, std::size_t> counts_;
    std::size_t changes_ = 0;
    std::optional<std::size_t> off_at_;
    bool off_ = false;
    bool read_only_ = false;
    bool supports_sync_all_files_ = true;
    std::optional<std::uint64_t> space_bytes_;
    std::uint64_t bytes_read_ = 0;
    std::uint64_t generation_ = 0;
    std::map<std::string, std::uint64_t> locks_;
    std::vector<std::string> trace_;
    fault_policy policy_;
    std::function<void()> listener_;
};

}  // namespace pystream::tests
