#include "tests/support/simulated_file_system.hpp"

#include <algorithm>

namespace pystream::tests {
namespace {

std::vector<std::string> split(const std::string& path)
{
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (begin <= path.size()) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        const std::string part = path.substr(begin, end - begin);
        if (!part.empty() && part != ".") parts.push_back(part);
        begin = end + 1;
    }
    return parts;
}

std::string parent_of(const std::string& path)
{
    const std::size_t slash = path.find_last_of('/');
    return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string name_of(const std::string& path)
{
    return path.substr(path.find_last_of('/') + 1);
}

base::error error_of(base::errc code, std::string_view what, const std::string& path)
{
    return {code, {}, std::string{what} + " " + path + ": simulated"};
}

bool is_final(call kind)
{
    return kind == call::sync || kind == call::sync_directory || kind == call::sync_all_files || kind == call::truncate;
}

}  // namespace

struct simulated_file_system::planned_fault {
    call kind;
    std::size_t left;
    base::errc code;
    std::string path_part;
};

class simulated_file final : public io::file {
public:
    simulated_file(simulated_file_system& owner, std::string path, node_ptr node, bool writable)
        : owner_(owner), path_(std::move(path)), node_(std::move(node)), writable_(writable), generation_(owner.generation_)
    {
    }

    const std::string& path() const noexcept override { return path_; }

    base::result<std::uint64_t> size() const override
    {
        const std::lock_guard guard{owner_.mutex_};
        if (is_stale()) return error_of(base::errc::io_failed, "size", path_);
        return node_->current.size();
    }

    base::result<std::size_t> read_at(std::uint64_t position, std::span<char> into) const override
    {
        const std::lock_guard guard{owner_.mutex_};
        if (is_stale()) return error_of(base::errc::io_failed, "read", path_);
        if (auto fault = owner_.enter(call::read, path_, false)) return *fault;
        if (position >= node_->current.size()) return std::size_t{0};
        const std::size_t count = std::min<std::size_t>(into.size(), node_->current.size() - position);
        std::copy_n(node_->current.data() + position, count, into.data());
        owner_.bytes_read_ += count;
        return count;
    }

    base::result<void> write_at(std::uint64_t position, std::string_view bytes) override
    {
        const std::lock_guard guard{owner_.mutex_};
        if (is_stale() || !writable_) return error_of(base::errc::io_failed, "write", path_);
        const bool was_off = owner_.off_;
        if (owner_.listener_ && owner_.random_() % 2 == 0)
            node_->write(position, bytes.substr(0, owner_.random_() % (bytes.size() + 1)));
        owner_.tell_listener();
        auto fault = owner_.enter(call::write, path_, true);
        if (fault && owner_.off_ && !was_off) node_->write(position, bytes.substr(0, bytes.size() / 2));
        if (fault) return *fault;
        const std::uint64_t growth =
            std::max<std::uint64_t>(position + bytes.size(), node_->current.size()) - node_->current.size();
        const std::uint64_t used = owner_.used_bytes();
        if (owner_.space_bytes_ && growth > 0 && used + growth > *owner_.space_bytes_) {
            const std::uint64_t missing = used + growth - *owner_.space_bytes_;
            node_->write(position, bytes.substr(0, bytes.size() - std::min<std::uint64_t>(missing, bytes.size())));
            return error_of(base::errc::disk_full, "write", path_);
        }
        node_->write(position, bytes);
        owner_.note("write " + path_ + " " + std::to_string(position) + " " + std::to_string(bytes.size()));
        return {};
    }

    base::result<void> truncate(std::uint64_t size) override
    {
        const std::lock_guard guard{owner_.mutex_};
        if (is_stale()) return error_of(base::errc::io_failed, "truncate", path_);
        if (auto fault = owner_.enter(call::truncate, path_, true)) return *fault;
        node_->truncate(size, owner_.random_);
        owner_.note("truncate " + path_ + " " + std::to_string(size));
        return {};
    }

    base::result<void> sync_data() override { return sync(); }
    base::result<void> sync_all() override { return sync(); }

private:
    bool is_stale() const { return generation_ != owner_.generation_; }

    base::result<void> sync()
    {
        const std::lock_guard guard{owner_.mutex_};
        if (is_stale()) return error_of(base::errc::io_failed, "sync", path_);
        if (auto fault = owner_.enter(call::sync, path_, true)) {
            if (owner_.policy_) node_->keep_some(owner_.random_);
            if (!owner_.off_) node_->fail_sync();
            return *fault;
        }
        node_->sync();
        owner_.note("sync " + path_);
        return {};
    }

    simulated_file_system& owner_;
    std::string path_;
    node_ptr node_;
    bool writable_;
    std::uint64_t generation_;
};

class simulated_lock final : public io::directory_lock {
public:
    simulated_lock(simulated_file_system& owner, std::string path)
        : owner_(owner), path_(std::move(path)), generation_(owner.generation_)
    {
    }
    ~simulated_lock() override
    {
        const std::lock_guard guard{owner_.mutex_};
        const auto held = owner_.locks_.find(path_);
        if (held != owner_.locks_.end() && held->second == generation_) owner_.locks_.erase(held);
    }

private:
    simulated_file_system& owner_;
    std::string path_;
    std::uint64_t generation_;
};

simulated_file_system::simulated_file_system(std::uint64_t seed) : random_(seed), root_(std::make_shared<simulated_node>())
{
    root_->is_directory = true;
}

simulated_file_system::~simulated_file_system() = default;

void simulated_file_system::fail(call kind, std::size_t nth, base::errc code, std::string path_part)
{
    const std::lock_guard guard{mutex_};
    faults_.push_back({kind, nth, code, std::move(path_part)});
}

void simulated_file_system::clear_faults()
{
    const std::lock_guard guard{mutex_};
    faults_.clear();
    off_at_.reset();
}

void simulated_file_system::set_space_bytes(std::optional<std::uint64_t> bytes)
{
    const std::lock_guard guard{mutex_};
    space_bytes_ = bytes;
}

void simulated_file_system::set_read_only(bool read_only)
{
    const std::lock_guard guard{mutex_};
    read_only_ = read_only;
}

void simulated_file_system::set_supports_sync_all_files(bool supported)
{
    const std::lock_guard guard{mutex_};
    supports_sync_all_files_ = supported;
}

void simulated_file_system::power_off_at(std::size_t nth_change)
{
    const std::lock_guard guard{mutex_};
    off_at_ = changes_ + nth_change;
}

bool simulated_file_system::is_off() const
{
    const std::lock_guard guard{mutex_};
    return off_;
}

void simulated_file_system::crash(crash_keeps what)
{
    const std::lock_guard guard{mutex_};
    if (what != crash_keeps::everything) {
        for (const change_group& group : pending_)
            if (what == crash_keeps::any_part && random_() % 2 == 0) make_durable(group);
        pending_.clear();
        for_each_node(*root_, [&](simulated_node& at) { at.crash(what, random_); });
    } else {
        for_each_node(*root_, [&](simulated_node& at) {
            if (!at.lost_pages.empty() && random_() % 2 == 0) at.drop_lost_pages();
        });
    }
    faults_.clear();
    off_at_.reset();
    off_ = false;
    locks_.clear();
    ++generation_;
}

std::optional<base::error> simulated_file_system::enter(call kind, const std::string& path, bool changes)
{
    ++counts_[kind];
    if (changes) ++changes_;
    if (changes && kind != call::write) tell_listener();
    if (off_at_ && changes && changes_ >= *off_at_) off_ = true;
    if (off_) return error_of(base::errc::io_failed, "power is off:", path);
    for (auto fault = faults_.begin(); fault != faults_.end(); ++fault) {
        if (fault->kind != kind || path.find(fault->path_part) == std::string::npos || --fault->left > 0) continue;
        const base::errc code = is_final(kind) ? base::errc::io_failed : fault->code;
        faults_.erase(fault);
        return error_of(code, "fault:", path);
    }
    if (policy_)
        if (const auto code = policy_(kind, path))
            return error_of(is_final(kind) ? base::errc::io_failed : *code, "fault:", path);
    if (read_only_ && changes && kind != call::sync && kind != call::sync_directory && kind != call::sync_all_files)
        return error_of(is_final(kind) ? base::errc::io_failed : base::errc::read_only, "read-only:", path);
    return std::nullopt;
}

node_ptr simulated_file_system::find(const std::string& path) const
{
    node_ptr at = root_;
    for (const std::string& part : split(path)) {
        const auto child = at->entries.find(part);
        if (child == at->entries.end()) return nullptr;
        at = child->second;
    }
    return at;
}

void simulated_file_system::change_entries(change_group group)
{
    for (const entry_change& change : group) {
        if (change.target)
            change.directory->entries[change.name] = change.target;
        else
            change.directory->entries.erase(change.name);
    }
    pending_.push_back(std::move(group));
}

void simulated_file_system::make_durable(const change_group& group)
{
    for (const entry_change& change : group) {
        if (change.target)
            change.directory->durable_entries[change.name] = change.target;
        else
            change.directory->durable_entries.erase(change.name);
    }
}

std::uint64_t simulated_file_system::used_bytes() const
{
    std::uint64_t used = 0;
    for_each_node(*root_, [&](simulated_node& at) { used += at.current.size(); });
    return used;
}

void simulated_file_system::note(std::string line)
{
    if (!listener_ && !policy_) trace_.push_back(std::move(line));
}

base::result<std::shared_ptr<io::file>> simulated_file_system::open(const std::string& path, io::open_mode mode)
{
    const std::lock_guard guard{mutex_};
    const bool creating = mode == io::open_mode::create || mode == io::open_mode::create_truncate;
    node_ptr found = find(path);
    if (auto fault = enter(call::open, path, creating)) return *fault;
    if (read_only_ && mode != io::open_mode::read) return error_of(base::errc::read_only, "open", path);
    if (found && found->is_directory) return error_of(base::errc::io_failed, "open", path);
    if (found && mode == io::open_mode::create) return error_of(base::errc::already_exists_on_disk, "open", path);
    if (!found) {
        const node_ptr parent = find(parent_of(path));
        if (!creating || !parent || !parent->is_directory) return error_of(base::errc::not_found_on_disk, "open", path);
        found = std::make_shared<simulated_node>();
        change_entries({{parent, name_of(path), found}});
        note("create " + path);
    } else if (mode == io::open_mode::create_truncate && !found->current.empty()) {
        found->current.clear();
        found->dirty_pages.clear();
        found->size_is_dirty = true;
        note("truncate " + path + " 0");
    }
    return std::shared_ptr<io::file>{std::make_shared<simulated_file>(*this, path, found, mode != io::open_mode::read)};
}

base::result<std::vector<io::directory_entry>> simulated_file_system::list(const std::string& directory)
{
    const std::lock_guard guard{mutex_};
    if (auto fault = enter(call::list, directory, false)) return *fault;
    const node_ptr found = find(directory);
    if (!found || !found->is_directory) return error_of(base::errc::not_found_on_disk, "list", directory);
    std::vector<io::directory_entry> entries;
    for (const auto& [name, child] : found->entries)
        entries.push_back({name, child->is_directory ? io::entry_kind::directory : io::entry_kind::file});
    return entries;
}

base::result<bool> simulated_file_system::exists(const std::string& path)
{
    const std::lock_guard guard{mutex_};
    if (off_) return error_of(base::errc::io_failed, "exists", path);
    return find(path) != nullptr;
}

base::result<void> simulated_file_system::create_directory(const std::string& path)
{
    const std::lock_guard guard{mutex_};
    if (auto fault = enter(call::create_directory, path, true)) return *fault;
    const node_ptr parent = find(parent_of(path));
    if (!parent || !parent->is_directory) return error_of(base::errc::not_found_on_disk, "mkdir", path);
    if (find(path)) return error_of(base::errc::already_exists_on_disk, "mkdir", path);
    auto made = std::make_shared<simulated_node>();
    made->is_directory = true;
    change_entries({{parent, name_of(path), std::move(made)}});
    note("create_directory " + path);
    return {};
}

base::result<void> simulated_file_system::rename(const std::string& from, const std::string& to)
{
    const std::lock_guard guard{mutex_};
    if (auto fault = enter(call::rename, to, true)) return *fault;
    const node_ptr found = find(from);
    const node_ptr target = find(parent_of(to));
    if (!found || !target) return error_of(base::errc::not_found_on_disk, "rename", from);
    change_entries({{find(parent_of(from)), name_of(from), nullptr}, {target, name_of(to), found}});
    note("rename " + from + " " + to);
    return {};
}

base::result<void> simulated_file_system::remove(const std::string& path)
{
    const std::lock_guard guard{mutex_};
    if (auto fault = enter(call::remove, path, true)) return *fault;
    const node_ptr found = find(path);
    if (!found) return error_of(base::errc::not_found_on_disk, "remove", path);
    if (!found->entries.empty()) return error_of(base::errc::io_failed, "remove", path);
    change_entries({{find(parent_of(path)), name_of(path), nullptr}});
    note("remove " + path);
    return {};
}

base::result<void> simulated_file_system::sync_directory(const std::string& path)
{
    const std::lock_guard guard{mutex_};
    if (auto fault = enter(call::sync_directory, path, true)) return *fault;
    const node_ptr found = find(path);
    if (!found || !found->is_directory) return error_of(base::errc::not_found_on_disk, "sync_directory", path);
    const auto here = [&](const change_group& group) {
        return std::any_of(group.begin(), group.end(), [&](const entry_change& change) { return change.directory == found; });
    };
    for (const change_group& group : pending_)
        if (here(group)) make_durable(group);
    std::erase_if(pending_, here);
    note("sync_directory " + path);
    return {};
}

base::result<std::unique_ptr<io::directory_lock>> simulated_file_system::lock(const std::string& path)
{
    const std::lock_guard guard{mutex_};
    if (auto fault = enter(call::lock, path, false)) return *fault;
    if (!find(parent_of(path))) return error_of(base::errc::not_found_on_disk, "lock", path);
    if (!locks_.emplace(path, generation_).second) return error_of(base::errc::locked, "lock", path);
    return std::unique_ptr<io::directory_lock>{std::make_unique<simulated_lock>(*this, path)};
}

bool simulated_file_system::supports_sync_all_files(const std::string&)
{
    const std::lock_guard guard{mutex_};
    return supports_sync_all_files_;
}

// File content only: whoever needs an entry to be durable must sync its directory.
base::result<void> simulated_file_system::sync_all_files(const std::string& root)
{
    const std::lock_guard guard{mutex_};
    if (auto fault = enter(call::sync_all_files, root, true)) return *fault;
    for_each_node(*root_, [&](simulated_node& at) {
        if (!at.is_directory) at.sync();
    });
    note("sync_all_files " + root);
    return {};
}

std::optional<std::string> simulated_file_system::content(const std::string& path) const
{
    const std::lock_guard guard{mutex_};
    const node_ptr found = find(path);
    if (!found || found->is_directory) return std::nullopt;
    return found->current;
}

void simulated_file_system::set_content(const std::string& path, std::string_view bytes)
{
    const std::lock_guard guard{mutex_};
    node_ptr found = find(path);
    if (!found) {
        const node_ptr parent = find(parent_of(path));
        found = std::make_shared<simulated_node>();
        parent->entries[name_of(path)] = found;
        parent->durable_entries[name_of(path)] = found;
    }
    found->current = bytes;
    found->durable = bytes;
    found->dirty_pages.clear();
    found->size_is_dirty = false;
}

void simulated_file_system::erase(const std::string& path)
{
    const std::lock_guard guard{mutex_};
    const node_ptr parent = find(parent_of(path));
    parent->entries.erase(name_of(path));
    parent->durable_entries.erase(name_of(path));
}

std::size_t simulated_file_system::count(call kind) const
{
    const std::lock_guard guard{mutex_};
    const auto found = counts_.find(kind);
    return found == counts_.end() ? 0 : found->second;
}

std::size_t simulated_file_system::changes() const
{
    const std::lock_guard guard{mutex_};
    return changes_;
}

std::uint64_t simulated_file_system::bytes_read() const
{
    const std::lock_guard guard{mutex_};
    return bytes_read_;
}

std::vector<std::string> simulated_file_system::trace() const
{
    const std::lock_guard guard{mutex_};
    return trace_;
}

}  // namespace pystream::tests
