#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Files that docs/compare.md presumes: an experiment with its result of before, and a forecast with a real run of the same job.
set -e
cat > job.json << 'END'
{"schema": "epochcast.experiment/1", "platform": "deep-est-esb", "nodes": 4, "network": "resnet50", "dataset": "cifar10"}
END
epochcast simulate --experiment job.json --format json > before.json
job="--network small-cnn --dataset mnist --train-samples 320 --strategy sync --batch 32 --epochs 1"
epochcast simulate $job --platform epyc-vm-2core --format json > forecast.json
epochcast train $job --data procedural --test-samples 20 --ranks 2 --format json > train.json
