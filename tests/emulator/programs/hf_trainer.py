# Hugging Face's Trainer on a corpus and a tokenizer made here: training, evaluation, checkpoints, and going on from one.
import os
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (DataCollatorForLanguageModeling, GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast, Trainer,
                          TrainingArguments)

WORDS = "the cat sat on a mat and saw another cat that sat on another mat".split()


def make_tokenizer():
    vocabulary = {word: number for number, word in enumerate(["<pad>", "<eos>", "<unk>", *sorted(set(WORDS))])}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")


class Corpus(torch.utils.data.Dataset):
    def __init__(self, tokenizer, lines):
        self.rows = [tokenizer(" ".join(WORDS[i % 7:i % 7 + 8])) for i in range(lines)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


def arguments(folder, **more):
    return TrainingArguments(output_dir=folder, per_device_train_batch_size=4, gradient_accumulation_steps=2, max_steps=4,
                             logging_steps=2, eval_strategy="steps", eval_steps=2, save_steps=2, bf16=True,
                             gradient_checkpointing=True, dataloader_num_workers=1, report_to=[], disable_tqdm=True,
                             seed=1, **more)


def main():
    tokenizer = make_tokenizer()
    with tempfile.TemporaryDirectory() as folder:
        def trainer(**more):
            model = GPT2LMHeadModel(GPT2Config(vocab_size=len(tokenizer), n_positions=32, n_embd=64, n_layer=2, n_head=4))
            return Trainer(model=model, args=arguments(folder, **more), train_dataset=Corpus(tokenizer, 64),
                           eval_dataset=Corpus(tokenizer, 8), processing_class=tokenizer,
                           data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False))
        first = trainer()
        result = first.train()
        kept = sorted(name for name in os.listdir(folder) if name.startswith("checkpoint"))
        # the numbers a tied model is saved with come back on the device
        again = trainer()
        again.args.max_steps = 6
        again.train(resume_from_checkpoint=os.path.join(folder, "checkpoint-4"))
        print(f"steps {result.global_step} then {again.state.global_step}, {kept}, device {first.args.device}, "
              f"evaluations {sum('eval_loss' in entry for entry in first.state.log_history)}")
    print(f"allocated {torch.cuda.max_memory_allocated()} B")


if __name__ == "__main__":
    main()
