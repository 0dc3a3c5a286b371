-- Burns BURN_US of CPU time. os.clock counts that of the process, which has one thread: what else runs on the machine does not make it less.
local seconds = tonumber(os.getenv("BURN_US")) / 1e6

core.register_action("burn", { "tcp-req" }, function()
  local stop = os.clock() + seconds
  while os.clock() < stop do
  end
end)
