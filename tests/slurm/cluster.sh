#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# A Slurm of two nodes on this machine's loopback, in a folder of its own: `. cluster.sh FOLDER`, then start_slurm.
# Processes end with the shell that called start_slurm.

SLURM_FOLDER=$1
export SLURM_CONF=$SLURM_FOLDER/slurm.conf
MUNGED=
SLURMCTLD=

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

start_slurm() {
  mkdir -p "$SLURM_FOLDER"/{state,spool-first,spool-second,munge}
  chmod 755 "$SLURM_FOLDER" "$SLURM_FOLDER/munge"
  dd if=/dev/urandom of="$SLURM_FOLDER/munge/key" bs=128 count=1 2>/dev/null
  chmod 400 "$SLURM_FOLDER/munge/key"
  local socket=$SLURM_FOLDER/munge/socket
  /usr/sbin/munged --foreground --force --key-file="$SLURM_FOLDER/munge/key" --socket="$socket" \
    --pid-file="$SLURM_FOLDER/munge/pid" --log-file="$SLURM_FOLDER/munge/log" --seed-file="$SLURM_FOLDER/munge/seed" \
    >/dev/null 2>&1 &
  MUNGED=$!
  cat >"$SLURM_CONF" <<CONF
ClusterName=loopback
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=$(free_port)
AuthType=auth/munge
AuthInfo=socket=$socket
CredType=cred/munge
StateSaveLocation=$SLURM_FOLDER/state
SlurmdSpoolDir=$SLURM_FOLDER/spool-%n
SlurmctldPidFile=$SLURM_FOLDER/slurmctld.pid
SlurmdPidFile=$SLURM_FOLDER/slurmd-%n.pid
SlurmctldLogFile=$SLURM_FOLDER/slurmctld.log
SlurmdLogFile=$SLURM_FOLDER/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/linear
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=5
SlurmctldTimeout=5
SchedulerParameters=sched_interval=1,batch_sched_delay=0
MinJobAge=5
JobRequeue=1
NodeName=first NodeHostname=localhost NodeAddr=127.0.0.1 Port=$(free_port) CPUs=1 State=UNKNOWN
NodeName=second NodeHostname=localhost NodeAddr=127.0.0.1 Port=$(free_port) CPUs=1 State=UNKNOWN
PartitionName=all Nodes=first,second Default=YES MaxTime=INFINITE State=UP
CONF
  for _ in $(seq 50); do [[ -S $socket ]] && break; sleep 0.1; done
  /usr/sbin/slurmctld -D -i >/dev/null 2>&1 &
  SLURMCTLD=$!
  /usr/sbin/slurmd -D -N first >/dev/null 2>&1 &
  SLURMD_FIRST=$!
  /usr/sbin/slurmd -D -N second >/dev/null 2>&1 &
  SLURMD_SECOND=$!
  for _ in $(seq 100); do
    [[ $(sinfo --noheader --format=%T 2>/dev/null) == idle ]] && return 0
    sleep 0.2
  done
  tail -n 5 "$SLURM_FOLDER"/*.log "$SLURM_FOLDER/munge/log" >&2
  echo "Slurm did not start" >&2
  return 1
}

stop_slurm() {
  [[ -n $SLURMCTLD ]] || return 0
  scancel --user="$(id -un)" --signal=KILL 2>/dev/null || true
  scancel --user="$(id -un)" 2>/dev/null || true
  for _ in $(seq 20); do
    [[ -z $(squeue --noheader 2>/dev/null) ]] && break
    sleep 0.2
  done
  kill -9 "$SLURMD_FIRST" "$SLURMD_SECOND" "$SLURMCTLD" "$MUNGED" 2>/dev/null || true
  wait 2>/dev/null || true
}
