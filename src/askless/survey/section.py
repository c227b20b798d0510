"""What all sections of a study file are made of: strict numbers, names, and no unknown keys."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Positive = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
Share = Annotated[float, Field(strict=True, ge=0, le=1)]
Size = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
Name = Annotated[str, Field(strict=True, min_length=1)]


class Section(BaseModel):
    """A section of a study file; a key that it does not know is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)
