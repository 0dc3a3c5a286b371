-- What wrk runs at its end: its figures as one line of JSON, unrounded (it prints them rounded for people).
-- With COUNT_STATUSES=1 also how often each HTTP status came: that costs wrk CPU a response, so not in the measured phase.

local threads = {}
local counting = os.getenv("COUNT_STATUSES") == "1"

function setup(thread)
  table.insert(threads, thread)
end

if counting then
  -- Each thread has an interpreter of its own; done() collects.
  counts = {}
  function response(status)
    local key = tostring(status)
    counts[key] = (counts[key] or 0) + 1
  end
end

local function statuses()
  local sum = {}
  if not counting then return sum end
  for _, thread in ipairs(threads) do
    for status, count in pairs(thread:get("counts")) do
      sum[status] = (sum[status] or 0) + count
    end
  end
  return sum
end

local function object(values)
  local fields = {}
  for name, value in pairs(values) do
    table.insert(fields, string.format('"%s":%.14g', name, value))
  end
  return "{" .. table.concat(fields, ",") .. "}"
end

-- Times in µs.
function done(summary, latency)
  local errors = summary.errors
  print("WRK " .. string.format(
    '{"requests":%d,"durationUs":%d,"non2xx":%d,"socketErrors":%s,"latencyUs":%s,"statuses":%s}',
    summary.requests,
    summary.duration,
    errors.status,
    object({
      connect = errors.connect, read = errors.read, write = errors.write, timeout = errors.timeout,
    }),
    object({
      mean = latency.mean, sd = latency.stdev, min = latency.min, max = latency.max,
      median = latency:percentile(50), p90 = latency:percentile(90),
      p95 = latency:percentile(95), p99 = latency:percentile(99),
    }),
    object(statuses())
  ))
end
