#include "command/catalogue.h"

#include <array>

#include "command/actions.h"
#include "command/agent_runs.h"
#include "command/agent_sessions.h"
#include "command/agents.h"
#include "command/audit.h"
#include "command/feedback.h"
#include "command/jobs.h"
#include "command/keys.h"
#include "command/namespaces.h"
#include "command/packages.h"
#include "command/plans.h"
#include "command/queues.h"
#include "command/resources.h"
#include "command/runs.h"
#include "command/schedules.h"
#include "command/server.h"
#include "command/watch/history.h"
#include "command/watch/job_act.h"
#include "command/watch/search.h"
#include "command/watch/timing.h"
#include "command/workers.h"

namespace muster::command {
namespace {

constexpr std::array<const Spec*, 128> kCatalogue{
    &kActionGet,
    &kActionList,
    &kActionSubmit,
    &kAgentCreate,
    &kAgentDelete,
    &kAgentGet,
    &kAgentList,
    &kAgentUpdate,
    &kAgentRunCancel,
    &kAgentRunDecide,
    &kAgentRunFork,
    &kAgentRunGet,
    &kAgentRunList,
    &kAgentRunStart,
    &kAuditList,
    &kBackupCreate,
    &kClusterSettings,
    &kClusterStatus,
    &kJobAct,
    &kJobCancel,
    &kJobCancelBulk,
    &kJobClaim,
    &kJobComplete,
    &kJobCount,
    &kJobFail,
    &kJobFeedback,
    &kJobFind,
    &kJobGet,
    &kJobHeartbeat,
    &kJobList,
    &kJobLogs,
    &kJobOutput,
    &kJobProgress,
    &kJobRelease,
    &kJobRetry,
    &kJobRetryMatching,
    &kJobSettle,
    &kJobSnooze,
    &kJobSubmit,
    &kJobSubmitBulk,
    &kJobWhy,
    &kKeysAwait,
    &kKeysClear,
    &kKeysRead,
    &kKeysWrite,
    &kNamespaceCreate,
    &kNamespaceDelete,
    &kNamespaceList,
    &kNamespaceUpdate,
    &kPackageArchive,
    &kPackageEvents,
    &kPackageGet,
    &kPackageInstall,
    &kPackageList,
    &kPackageNote,
    &kPackageReconcile,
    &kPackageUninstall,
    &kPackageWatch,
    &kPlanDelete,
    &kPlanGet,
    &kPlanList,
    &kPlanSubmit,
    &kQueueLanes,
    &kQueueLimit,
    &kQueueList,
    &kQueuePause,
    &kQueueResume,
    &kResourceDelete,
    &kResourceGet,
    &kResourceList,
    &kResourcePut,
    &kRunCancel,
    &kRunComplete,
    &kRunFail,
    &kRunGet,
    &kRunGetStep,
    &kRunHistory,
    &kRunList,
    &kRunResult,
    &kRunRetry,
    &kRunSignal,
    &kRunStart,
    &kRunStartChild,
    &kRunStep,
    &kRunTerminate,
    &kScheduleBackfill,
    &kScheduleCreate,
    &kScheduleDelete,
    &kScheduleExplain,
    &kScheduleFires,
    &kScheduleGet,
    &kScheduleList,
    &kSchedulePause,
    &kSchedulePreview,
    &kScheduleResume,
    &kScheduleTrigger,
    &kScheduleUpdate,
    &kServerConfig,
    &kServerDoctor,
    &kServerHistory,
    &kServerInfo,
    &kServerSearch,
    &kSessionCompact,
    &kSessionCompactions,
    &kSessionCreate,
    &kSessionDelete,
    &kSessionGet,
    &kSessionList,
    &kSessionMessages,
    &kSessionRestore,
    &kSessionUpdate,
    &kToolDefine,
    &kToolDelete,
    &kToolGet,
    &kToolList,
    &kToolRun,
    &kToolExecutionList,
    &kToolExecutionOutput,
    &kWorkerDrain,
    &kWorkerGet,
    &kWorkerHeartbeat,
    &kWorkerList,
    &kWorkerRegister,
    &kWorkerResume,
    &kWorkerRetire,
    &kWorkerSend,
    &kWorkerUnregister,
    &kWorkerVerify,
};

}  // namespace

std::span<const Spec* const> catalogue() { return kCatalogue; }

}  // namespace muster::command
