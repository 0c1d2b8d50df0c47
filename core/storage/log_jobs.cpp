#include "core/storage/append_plan.hpp"
#include "core/storage/checkpoint_plan.hpp"
#include "core/storage/log.hpp"
#include "core/storage/read_plan.hpp"

namespace pystream::storage {

append_job::append_job(std::unique_ptr<append_plan> plan) : plan_(std::move(plan)) {}
append_job::append_job(append_job&&) noexcept = default;
append_job& append_job::operator=(append_job&&) noexcept = default;
append_job::~append_job() = default;

base::result<void> append_job::run()
{
    return run_append(*plan_);
}

const std::shared_ptr<io::file>& append_job::file_to_sync() const noexcept
{
    return plan_->parts.back().file;
}

std::uint64_t append_job::bytes() const noexcept
{
    return plan_->bytes->size();
}

read_job::read_job(std::unique_ptr<read_plan> plan) : plan_(std::move(plan)) {}
read_job::read_job(read_job&&) noexcept = default;
read_job& read_job::operator=(read_job&&) noexcept = default;
read_job::~read_job() = default;

base::result<read_outcome> read_job::run()
{
    return run_read(*plan_);
}

time_job::time_job(std::unique_ptr<read_plan> plan, std::int64_t timestamp_ns)
    : plan_(std::move(plan)), timestamp_ns_(timestamp_ns)
{
}
time_job::time_job(time_job&&) noexcept = default;
time_job& time_job::operator=(time_job&&) noexcept = default;
time_job::~time_job() = default;

base::result<std::optional<base::offset>> time_job::run()
{
    return run_time_lookup(*plan_, timestamp_ns_);
}

checkpoint_job::checkpoint_job(std::unique_ptr<checkpoint_plan> plan) : plan_(std::move(plan)) {}
checkpoint_job::checkpoint_job(checkpoint_job&&) noexcept = default;
checkpoint_job& checkpoint_job::operator=(checkpoint_job&&) noexcept = default;
checkpoint_job::~checkpoint_job() = default;

base::result<void> checkpoint_job::run()
{
    return run_checkpoint(*plan_);
}

}  // namespace pystream::storage
