#include "command/catalogue.h"

#include <array>

#include "command/action_get.h"
#include "command/action_list.h"
#include "command/action_submit.h"
#include "command/backup_create.h"
#include "command/cluster_status.h"
#include "command/job_cancel.h"
#include "command/job_claim.h"
#include "command/job_complete.h"
#include "command/job_fail.h"
#include "command/job_get.h"
#include "command/job_heartbeat.h"
#include "command/job_list.h"
#include "command/job_logs.h"
#include "command/job_progress.h"
#include "command/job_release.h"
#include "command/job_retry.h"
#include "command/job_settle.h"
#include "command/job_snooze.h"
#include "command/job_submit.h"
#include "command/job_why.h"
#include "command/namespace_create.h"
#include "command/namespace_delete.h"
#include "command/namespace_list.h"
#include "command/plan_delete.h"
#include "command/plan_get.h"
#include "command/plan_list.h"
#include "command/plan_submit.h"
#include "command/queue_limit.h"
#include "command/queue_list.h"
#include "command/queue_pause.h"
#include "command/queue_resume.h"
#include "command/run_cancel.h"
#include "command/run_get.h"
#include "command/run_history.h"
#include "command/run_list.h"
#include "command/run_result.h"
#include "command/run_retry.h"
#include "command/run_signal.h"
#include "command/run_start.h"
#include "command/run_step.h"
#include "command/schedule_backfill.h"
#include "command/schedule_create.h"
#include "command/schedule_delete.h"
#include "command/schedule_get.h"
#include "command/schedule_list.h"
#include "command/schedule_pause.h"
#include "command/schedule_preview.h"
#include "command/schedule_resume.h"
#include "command/schedule_trigger.h"
#include "command/schedule_update.h"
#include "command/server_info.h"
#include "command/worker_drain.h"
#include "command/worker_get.h"
#include "command/worker_heartbeat.h"
#include "command/worker_list.h"
#include "command/worker_register.h"
#include "command/worker_unregister.h"

namespace muster::command {
namespace {

constexpr std::array<const Spec*, 61> kCatalogue{
    &kActionGet,        &kActionList,    &kActionSubmit,     &kBackupCreate,    &kClusterStatus,   &kJobCancel,
    &kJobCancelBulk,    &kJobClaim,      &kJobComplete,      &kJobFail,         &kJobGet,          &kJobHeartbeat,
    &kJobList,          &kJobLogs,       &kJobProgress,      &kJobRelease,      &kJobRetry,        &kJobRetryMatching,
    &kJobSettle,        &kJobSnooze,     &kJobSubmit,        &kJobSubmitBulk,   &kJobWhy,          &kNamespaceCreate,
    &kNamespaceDelete,  &kNamespaceList, &kPlanDelete,       &kPlanGet,         &kPlanList,        &kPlanSubmit,
    &kQueueLimit,       &kQueueList,     &kQueuePause,       &kQueueResume,     &kRunCancel,       &kRunGet,
    &kRunHistory,       &kRunList,       &kRunResult,        &kRunRetry,        &kRunSignal,       &kRunStart,
    &kRunStep,          &kRunTerminate,  &kScheduleBackfill, &kScheduleCreate,  &kScheduleDelete,  &kScheduleGet,
    &kScheduleList,     &kSchedulePause, &kSchedulePreview,  &kScheduleResume,  &kScheduleTrigger, &kScheduleUpdate,
    &kServerInfo,       &kWorkerDrain,   &kWorkerGet,        &kWorkerHeartbeat, &kWorkerList,      &kWorkerRegister,
    &kWorkerUnregister,
};

}  // namespace

std::span<const Spec* const> catalogue() { return kCatalogue; }

}  // namespace muster::command
