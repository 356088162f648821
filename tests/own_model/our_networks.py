# SPDX-License-Identifier: Apache-2.0
"""Networks of Epochcast's own that torchvision has not, written again with torch.nn alone."""
import math

import torch
from torch import nn

F = nn.functional


class Recurrent(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.cell = cell(28, 64, batch_first=True)
        self.norm, self.fc1, self.fc2 = nn.BatchNorm1d(64), nn.Linear(64, 32), nn.Linear(32, 10)
        self.dropout1, self.dropout2 = nn.Dropout(0.25), nn.Dropout(0.5)

    def forward(self, images):
        rows = images.transpose(1, 2).flatten(2)
        hidden = self.dropout1(self.norm(self.cell(rows)[0][:, -1]))
        return self.fc2(self.dropout2(torch.relu(self.fc1(hidden))))


def small_cnn(shape, classes):
    """LeNet-5 for images of 32 pixels, or padded to them."""
    padding = (32 - shape[1]) // 2
    return nn.Sequential(nn.Conv2d(shape[0], 6, 5, padding=padding), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                         nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, classes))


class PaddedBlock(nn.Module):
    """ResNet's block whose shortcut is the input, subsampled and padded with zeros."""

    def __init__(self, channels, width, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 3, stride, 1, bias=False)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.bn1, self.bn2 = nn.BatchNorm2d(width), nn.BatchNorm2d(width)
        self.stride, self.more = stride, width - channels

    def forward(self, maps):
        out = self.bn2(self.conv2(F.relu(self.bn1(self.conv1(maps)))))
        if self.more > 0:
            maps = F.pad(maps[:, :, ::self.stride, ::self.stride], [0, 0, 0, 0, self.more // 2, self.more // 2])
        return F.relu(out + maps)


def resnet20(shape, classes):
    blocks = [PaddedBlock(channels, width, stride if i == 0 else 1)
              for before, width, stride in ((16, 16, 1), (16, 32, 2), (32, 64, 2))
              for i, channels in enumerate((before, width, width))]
    return nn.Sequential(nn.Conv2d(shape[0], 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(), *blocks,
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, classes))


class WideBlock(nn.Module):
    def __init__(self, channels, width, stride):
        super().__init__()
        self.bn1, self.bn2 = nn.BatchNorm2d(channels), nn.BatchNorm2d(width)
        self.conv1 = nn.Conv2d(channels, width, 3, stride, 1, bias=False)
        self.conv2 = nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.shortcut = nn.Conv2d(channels, width, 1, stride, bias=False) if channels != width else nn.Identity()
        self.activates_both = channels != width

    def forward(self, maps):
        active = F.relu(self.bn1(maps))
        out = self.conv2(F.relu(self.bn2(self.conv1(active))))
        return out + self.shortcut(active if self.activates_both else maps)


def wide_resnet(depth, widening, shape, classes):
    blocks, channels = [], 16
    for stage in range(3):
        width = widening * 16 * 2**stage
        for i in range((depth - 4) // 6):
            blocks.append(WideBlock(channels, width, 2 if stage > 0 and i == 0 else 1))
            channels = width
    return nn.Sequential(nn.Conv2d(shape[0], 16, 3, 1, 1, bias=False), *blocks, nn.BatchNorm2d(channels), nn.ReLU(),
                         nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, classes))


class Attention(nn.Module):
    """Of all tokens to all; padded or later ones are masked."""

    def __init__(self, features, heads, biases=True, dropout=0.0, is_causal=False, is_joint=True):
        super().__init__()
        self.joint = nn.Linear(features, 3 * features, bias=biases) if is_joint else nn.Identity()
        self.parts = nn.ModuleList([nn.Identity() if is_joint else nn.Linear(features, features) for _ in range(3)])
        self.is_joint = is_joint
        self.out = nn.Linear(features, features, bias=biases)
        self.heads, self.dropout, self.is_causal = heads, nn.Dropout(dropout), is_causal
        self.has_dropout = dropout > 0

    def forward(self, tokens, hidden_tokens):
        batch, count, features = tokens.shape
        if self.is_joint:
            parts = list(self.joint(tokens).chunk(3, -1))
        else:
            parts = [part(tokens) for part in self.parts]
        query, key, value = [part.view(batch, count, self.heads, features // self.heads).transpose(1, 2)
                             for part in parts]
        scores = query @ key.transpose(2, 3) / math.sqrt(features // self.heads)
        if self.is_causal:
            hidden_tokens = torch.ones(count, count, dtype=torch.bool).triu(1)
        weights = scores.masked_fill(hidden_tokens, -1e9).softmax(-1)
        if self.has_dropout:
            weights = self.dropout(weights)
        return self.out((weights @ value).transpose(1, 2).reshape(batch, count, features))


class BertLayer(nn.Module):
    def __init__(self, features, heads):
        super().__init__()
        self.attention = Attention(features, heads, dropout=0.1, is_joint=False)
        self.lin1, self.lin2 = nn.Linear(features, 4 * features), nn.Linear(4 * features, features)
        self.norm1, self.norm2, self.dropout = nn.LayerNorm(features), nn.LayerNorm(features), nn.Dropout(0.1)

    def forward(self, tokens, hidden_tokens):
        tokens = self.norm1(self.attention(tokens, hidden_tokens) + tokens)
        return self.norm2(self.dropout(self.lin2(F.gelu(self.lin1(tokens)))) + tokens)


class DistilBert(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.words, self.places = nn.Embedding(30522, 768, padding_idx=0), nn.Embedding(512, 768)
        self.norm, self.dropout, self.dropout2 = nn.LayerNorm(768), nn.Dropout(0.1), nn.Dropout(0.2)
        self.layers = nn.ModuleList([BertLayer(768, 12) for _ in range(6)])
        self.hidden, self.head = nn.Linear(768, 768), nn.Linear(768, classes)

    def forward(self, numbers):
        hidden_tokens = (numbers == 0)[:, None, None]
        tokens = self.words(numbers) + self.places(torch.arange(numbers.shape[1]))
        tokens = self.dropout(self.norm(tokens))
        for layer in self.layers:
            tokens = layer(tokens, hidden_tokens)
        return self.head(self.dropout2(F.relu(self.hidden(tokens[:, 0]))))


class Block(nn.Module):
    """Attention and a perceptron behind layer norms, as in GPT-2 and in vision transformers."""

    def __init__(self, features, heads, biases=True, dropout=0.0, is_causal=False):
        super().__init__()
        self.norm1 = nn.LayerNorm(features)
        self.norm2 = nn.LayerNorm(features)
        if not biases:
            self.norm1.bias = self.norm2.bias = None
        self.attention = Attention(features, heads, biases, dropout, is_causal)
        self.lin1 = nn.Linear(features, 4 * features, bias=biases)
        self.lin2 = nn.Linear(4 * features, features, bias=biases)
        self.dropout = nn.Dropout(dropout)

    def forward(self, tokens):
        no_tokens = torch.zeros(1, dtype=torch.bool)
        tokens = tokens + self.dropout(self.attention(self.norm1(tokens), no_tokens))
        return tokens + self.dropout(self.lin2(F.gelu(self.lin1(self.norm2(tokens)))))


class Gpt(nn.Module):
    def __init__(self, depth, heads, features, tokens, vocabulary, biases=True, dropout=0.0):
        super().__init__()
        self.words, self.places = nn.Embedding(vocabulary, features), nn.Embedding(tokens, features)
        self.blocks = nn.Sequential(*[Block(features, heads, biases, dropout, True) for _ in range(depth)])
        self.norm, self.dropout = nn.LayerNorm(features), nn.Dropout(dropout)
        if not biases:
            self.norm.bias = None

    def forward(self, numbers):
        tokens = self.words(numbers) + self.places(torch.arange(numbers.shape[1]))
        return F.linear(self.norm(self.blocks(self.dropout(tokens))), self.words.weight)


class SmallVit(nn.Module):
    """DeiT-S for images of 224 pixels."""

    def __init__(self, classes):
        super().__init__()
        self.patches = nn.Conv2d(3, 384, 16, 16)
        self.first = nn.Parameter(torch.zeros(1, 1, 384))
        self.places = nn.Parameter(torch.zeros(1, 197, 384))
        self.blocks = nn.Sequential(*[Block(384, 6) for _ in range(12)])
        self.norm, self.head = nn.LayerNorm(384), nn.Linear(384, classes)

    def forward(self, images):
        patches = self.patches(images).flatten(2).transpose(1, 2)
        tokens = torch.cat([self.first.expand(images.shape[0], 1, 384), patches], 1) + self.places
        return self.head(self.norm(self.blocks(tokens))[:, 0])


class Gan(nn.Module):
    """One pass through the generator and the discriminator, for images of 28 pixels; the label is 0."""

    def __init__(self, classes):
        super().__init__()
        self.labels, self.start = nn.Embedding(classes, 128), nn.Linear(128, 128 * 49)
        self.grow = nn.Sequential(
            nn.BatchNorm2d(128), nn.Upsample(scale_factor=2.0), nn.Conv2d(128, 128, 3, 1, 1), nn.BatchNorm2d(128, 0.8),
            nn.LeakyReLU(0.2, True), nn.Upsample(scale_factor=2.0), nn.Conv2d(128, 64, 3, 1, 1), nn.BatchNorm2d(64, 0.8),
            nn.LeakyReLU(0.2, True), nn.Conv2d(64, 1, 3, 1, 1), nn.Tanh())
        layers, channels = [], 1
        for width in (16, 32, 64, 128):
            layers += [nn.Conv2d(channels, width, 3, 2, 1), nn.LeakyReLU(0.2, True), nn.Dropout2d(0.25)]
            layers += [nn.BatchNorm2d(width, 0.8)] if width > 16 else []
            channels = width
        self.judge = nn.Sequential(*layers, nn.Flatten())
        self.is_real, self.classes = nn.Linear(512, 1), nn.Linear(512, classes)

    def forward(self, images):
        numbers = torch.zeros(images.shape[0], dtype=torch.int64)
        start = self.labels(numbers) * torch.randn(images.shape[0], 128)
        features = self.judge(self.grow(self.start(start).view(-1, 128, 7, 7)))
        return self.classes(features), self.is_real(features).flatten()


LARGE = [3, 224, 224]
SMALL = [3, 32, 32]
DIGIT = [1, 28, 28]
# The constructor, for samples of a shape and so many classes, and the options of `describe` for these.
OUR_NETWORKS = {
    "small-cnn": (lambda: small_cnn(DIGIT, 10), DIGIT, 10, []),
    "resnet20": (lambda: resnet20(SMALL, 10), SMALL, 10, []),
    "wide-resnet-16": (lambda: wide_resnet(16, 8, SMALL, 102), SMALL, 102, []),
    "wide-resnet-28": (lambda: wide_resnet(28, 10, SMALL, 100), SMALL, 100, []),
    "vit-s": (lambda: SmallVit(1000), LARGE, 1000, []),
    "distilbert": (lambda: DistilBert(2), [128], 2, []),
    "gan": (lambda: Gan(10), DIGIT, 10, []),
    "rnn": (lambda: Recurrent(nn.RNN), DIGIT, 10, []),
    "gru": (lambda: Recurrent(nn.GRU), DIGIT, 10, []),
    "lstm": (lambda: Recurrent(nn.LSTM), DIGIT, 10, []),
    "gpt-char": (lambda: Gpt(6, 6, 384, 256, 65, False, 0.2), [256], 65, ["--targets", "tokens"]),
    "gpt2": (lambda: Gpt(12, 12, 768, 1024, 50257), [128], 50257, ["--targets", "tokens"]),
}
